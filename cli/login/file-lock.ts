// Loaded on demand. A bundle has the names of a package in the form of CommonJS only through a module of its own.
export { lock } from 'proper-lockfile';
