import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';

/** Writes a self-signed certificate of 127.0.0.1 into a folder, as `cert.pem`, `key.pem` and `ca.pem`. @returns its PEM text */
export async function writeCertificate(folder: string): Promise<string> {
  const names = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem'), ca: join(folder, 'ca.pem') };
  const form = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  await execa('openssl', ['req', ...form, ...subject, '-keyout', names.key, '-out', names.cert]);
  await execa('cp', [names.cert, names.ca]);
  return readFile(names.cert, 'utf8');
}
