// Redirects real host names to a test server: connections of this process to their port 443 reach it, with a trusted
// certificate.
import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import { certificateFor } from './certificate.ts';
import { listen } from './listen.ts';

type Connect = (this: net.Socket, ...given: unknown[]) => net.Socket;

/**
 * Starts the server and redirects these names to it. `close` ends both. `cert`: certificate that separate
 * programs must trust.
 */
export async function serveNames(names: readonly string[], answer: Parameters<typeof https.createServer>[1]) {
  const [first = '', ...others] = names;
  const certificate = certificateFor(first, ...others);
  const server = https.createServer(certificate, answer);
  const { port, close } = await listen(server);
  const trusted = tls.getCACertificates('default');
  // additional certificates would be parsed again for every call
  tls.setDefaultCACertificates([certificate.cert]);
  const { prototype } = net.Socket as unknown as { prototype: { connect: Connect } };
  const { connect } = prototype;
  prototype.connect = function detoured(...given) {
    // net.connect passes its arguments as one list
    const [options] = given.flat() as [{ host?: string; port?: number | string }];
    const isNamed = Number(options.port) === 443 && names.includes(options.host ?? '');
    if (isNamed) Object.assign(options, { host: '127.0.0.1', port });
    return Reflect.apply(connect, this, given);
  };
  return {
    cert: certificate.cert,
    close: async () => {
      prototype.connect = connect;
      tls.setDefaultCACertificates(trusted);
      server.closeAllConnections();
      await close();
    },
  };
}
