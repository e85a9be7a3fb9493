// The SDK loads it by its path, into processes and into the bundle of workflows: it can be no module of TypeScript.
const { DefaultFailureConverter } = require('@temporalio/common');

/** Puts message and stack trace of a failure into a payload, which the codec encrypts. */
exports.failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
