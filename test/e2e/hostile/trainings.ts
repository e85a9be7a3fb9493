/** A training whose source is refused, before any container starts. */
export interface HostileSource {
  name: string;
  /** A git reference. */
  reference: string;
  reason: string;
  says: string;
}

// prettier-ignore
export const SOURCES: readonly HostileSource[] = [
  { name: 'ref of an option',   reference: '--upload-pack=touch /tmp/slipway-hostile', reason: 'SourceCheckoutFailed', says: '--upload-pack' },
  { name: 'ref of a setting',   reference: '-c core.sshCommand=reboot',                reason: 'SourceCheckoutFailed', says: '-c core' },
  { name: 'ref of a command',   reference: '$(touch /tmp/slipway-hostile)',            reason: 'SourceCheckoutFailed', says: '$(touch' },
  { name: 'ref of a range',     reference: 'main..main',                               reason: 'SourceCheckoutFailed', says: 'main..main' },
  { name: 'ref of a parent',    reference: '../../../etc/passwd',                      reason: 'SourceCheckoutFailed', says: '../etc' },
  { name: 'ref of a refspec',   reference: 'refs/heads/main:refs/heads/evil',          reason: 'SourceCheckoutFailed', says: 'refs/heads/evil' },
];

/** A program that misuses its container. */
export interface HostileProgram {
  name: string;
  /** Python, before the model is logged. */
  code: (isFull: boolean) => string;
  reason: string;
  says: string;
}

// prettier-ignore
export const PROGRAMS: readonly HostileProgram[] = [
  { name: 'a line without an end', code: (full) => `for _ in range(${full ? 1_024 : 48}): print("x" * 2**20, end="")`,                reason: 'ToolchainFailed', says: '' },
  { name: 'lines without an end',  code: (full) => `for at in range(${full ? 2_000_000 : 100_000}): print(at, "y" * 40)`,          reason: 'ToolchainFailed', says: '' },
  { name: 'forks',                 code: () => 'import os\nfor _ in range(100_000): os.fork()',                                     reason: 'ToolchainFailed', says: '' },
  { name: 'memory',                code: () => 'held = [bytearray(2**26) for _ in range(1_000)]',                                   reason: 'OutOfMemory',     says: 'memory' },
  { name: 'files of root',         code: () => 'open("/etc/passwd", "a").write("evil")',                                            reason: 'ToolchainFailed', says: '' },
  { name: 'metadata of clouds',    code: () => 'import urllib.request as u\nu.urlopen("http://169.254.169.254/", timeout=3)',       reason: 'ToolchainFailed', says: '' },
];
