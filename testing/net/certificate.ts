// Creates a self-signed certificate with openssl.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export type Certificate = { key: string; cert: string };

export function certificateFor(name: string, ...others: string[]): Certificate {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-tls-'));
  const files = ['key.pem', 'certificate.pem'].map((file) => path.join(folder, file)) as [string, string];
  const options = `-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=${name}`;
  const alternative = ['-addext', `subjectAltName=${[name, ...others].map((one) => `DNS:${one}`).join(',')}`];
  const args = ['req', ...options.split(' '), ...alternative, '-keyout', files[0], '-out', files[1]];
  execFileSync('openssl', args, { stdio: 'ignore' });
  const [key, cert] = files.map((file) => readFileSync(file, 'utf8')) as [string, string];
  rmSync(folder, { recursive: true });
  return { key, cert };
}
