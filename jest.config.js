const common = {
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  // Native ES modules; swc only strips the types (tsc checks them in a step of its own).
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'es6' } },
    ],
  },
  modulePathIgnorePatterns: ['<rootDir>/.slipway', '<rootDir>/.slipway-test'],
};

export default {
  // A busy machine is no failure; a hang still ends.
  testTimeout: 300_000,
  // Of the modules of each file Node.js keeps some memory: a process that has too much of them is replaced between two.
  workerIdleMemoryLimit: '1GB',
  projects: [
    {
      ...common,
      displayName: 'unit',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', '\\.(stack|faults)\\.test\\.ts$'],
    },
    {
      ...common,
      displayName: 'stack',
      testMatch: ['<rootDir>/test/**/*.stack.test.ts'],
      globalSetup: '<rootDir>/test/with-stack.ts',
    },
    {
      ...common,
      displayName: 'faults',
      // They kill services that all tests share: never beside others.
      testMatch: ['<rootDir>/test/**/*.faults.test.ts'],
      globalSetup: '<rootDir>/test/with-stack.ts',
    },
  ],
};
