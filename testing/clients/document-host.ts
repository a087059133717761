// Host for client metadata documents, whose behavior a test chooses. It uses HTTP, or TLS as `agent.example` with a
// test CA.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { listen } from '../net/listen.ts';
import { type DocumentMembers, documentOf } from './client-documents.ts';

type HostAnswer = {
  status?: number;
  headers?: http.OutgoingHttpHeaders;
  /** body of the response; texts and bytes are sent unchanged, objects as JSON */
  body?: string | Buffer | DocumentMembers;
  delayMs?: number;
};
type Behaviour = HostAnswer | ((request: http.IncomingMessage, response: http.ServerResponse) => void);
type Certificate = { key: string; cert: string };

/** Starts the host. `certificate`: if set, the host uses TLS. `name`: host name of the certificate. */
export async function startDocumentHost(certificate?: Certificate, name = 'agent.example') {
  const behaviours = new Map<string, Behaviour>();
  const requests: http.IncomingMessage[] = [];
  const state = { running: 0, mostAtOnce: 0 };
  const serve: http.RequestListener = (request, response) => {
    requests.push(request);
    state.running += 1;
    state.mostAtOnce = Math.max(state.mostAtOnce, state.running);
    response.on('close', () => {
      state.running -= 1;
    });
    const behaviour = behaviours.get(request.url ?? '') ?? { status: 404 };
    if (typeof behaviour === 'function') return behaviour(request, response);
    const { status = 200, headers = {}, body = '', delayMs = 0 } = behaviour;
    setTimeout(() => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));
    }, delayMs);
  };
  const server = certificate ? https.createServer(certificate, serve) : http.createServer(serve);
  const { port, close } = await listen(server);
  const origin = certificate ? `https://${name}:${port}` : `http://127.0.0.1:${port}`;
  /** Publishes a valid document with these members changed. Returns its URL. */
  const publish = (at: string, members: DocumentMembers = {}, answer: HostAnswer = {}): string => {
    const body = documentOf({ redirect_uris: [`${origin}/callback`], ...members }, origin + at);
    behaviours.set(at, { body, ...answer });
    return origin + at;
  };
  /** Registers a behavior. Returns its URL. */
  const behave = (at: string, behaviour: Behaviour): string => {
    behaviours.set(at, behaviour);
    return origin + at;
  };
  return {
    origin,
    port,
    requests,
    state,
    publish,
    behave,
    close: async () => {
      if (server instanceof https.Server) server.closeAllConnections();
      await close();
    },
  };
}
export type DocumentHost = Awaited<ReturnType<typeof startDocumentHost>>;

/** Creates a CA plus a certificate for this host name. */
export function makeCertificate(name: string): { authority: string; certificate: Certificate } {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-authority-'));
  const at = (file: string) => path.join(folder, file);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' });
  const pair = (file: string) => [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    at(file),
  ];
  try {
    openssl(
      'req',
      '-x509',
      ...pair('ca.key'),
      '-days',
      '2',
      '-subj',
      '/CN=Test authority',
      '-out',
      at('ca.pem'),
    );
    openssl('req', ...pair('host.key'), '-subj', `/CN=${name}`, '-out', at('host.csr'));
    writeFileSync(at('names'), `subjectAltName=DNS:${name}`);
    const signed = [
      '-CA',
      at('ca.pem'),
      '-CAkey',
      at('ca.key'),
      '-CAcreateserial',
      '-days',
      '2',
      '-extfile',
      at('names'),
    ];
    openssl('x509', '-req', '-in', at('host.csr'), ...signed, '-out', at('host.pem'));
    const [authority = '', key = '', cert = ''] = ['ca.pem', 'host.key', 'host.pem'].map((file) =>
      readFileSync(at(file), 'utf8'),
    );
    return { authority, certificate: { key, cert } };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
