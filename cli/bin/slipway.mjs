#!/usr/bin/env node
import { pathToFileURL } from 'node:url';
import { compiled } from './bundle.mjs';

await import(pathToFileURL(await compiled()).href);
