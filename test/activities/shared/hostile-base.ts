import { networkInterfaces } from 'node:os';
import { createServer } from 'node:net';

/** A host's service that nothing in a container may reach: on every address, as a careless one listens. */
export async function openHostService() {
  let visits = 0;
  const server = createServer((socket) => {
    visits += 1;
    socket.end('HELLO-FROM-HOST');
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    visits: () => visits,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** An address of this machine beside its loopback; a host with engines has dozens, and each attempt takes its time. */
const addresses = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address)
    .slice(0, 1);

/** Takes over whatever it can, tells what it is, and then is the Python that it replaces. */
const probe = (port: number): string => `
import os, socket, sys
def attempt(what, work):
    try:
        print("EVIL", what, work(), flush=True)
    except Exception as error:
        print("refused", what, type(error).__name__, flush=True)
def connect(address):
    with socket.create_connection((address, ${port}), timeout=0.5) as connection:
        return connection.recv(64)
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print("identity", os.getuid(), int(status["CapEff"], 16), status["NoNewPrivs"].strip(), flush=True)
routes = [line.split() for line in open("/proc/net/route").readlines()[1:]]
gateways = [".".join(str(int(row[2][i:i+2], 16)) for i in (6, 4, 2, 0)) for row in routes if row[1] == "00000000"]
for address in ["127.0.0.1", "host.containers.internal"] + gateways + ${JSON.stringify(addresses())}:
    attempt("connect " + address, lambda: connect(address))
attempt("write /etc", lambda: open("/etc/owned", "w"))
attempt("write /usr", lambda: open("/usr/owned", "w"))
attempt("become root", lambda: os.setuid(0))
attempt("read a process of another", lambda: open("/proc/1/environ").read() if os.getpid() != 1 and os.stat("/proc/1").st_uid != os.getuid() else 1 / 0)
`;

/**
 * The recipe of a base image whose Python, shell helpers and uv are hostile, with what the builder of a derived image
 * would run. `EVIL_HANG=yes` makes an installation last for ever.
 */
export function hostileBase(python: string, port: number): { dockerfile: string; files: Record<string, string> } {
  const wrapper = `#!/bin/sh
/usr/bin/python3.11 -S /evil.py
test "$EVIL_HANG" = yes && case "$*" in *install*) trap "" TERM; while :; do sleep 1; done ;; esac
exec /usr/bin/python3.11 "$@"
`;
  return {
    dockerfile: [
      `FROM ${python}`,
      'COPY evil.py /evil.py',
      'COPY wrapper /usr/local/bin/python3',
      'COPY uv /usr/local/bin/uv',
      'RUN chmod 755 /usr/local/bin/python3 /usr/local/bin/uv',
      'ONBUILD RUN touch /built && python3 -c pass',
      'ONBUILD USER 0',
      '',
    ].join('\n'),
    files: { 'evil.py': probe(port), wrapper, uv: '#!/bin/sh\necho EVIL uv ran\n' },
  };
}
