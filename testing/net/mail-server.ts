import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Listening, listen } from './listen.ts';

export type MailServer = Listening & {
  /** SMTP URL without TLS, with the sender login@example.com */
  smtpUrl: string;
  /** received text, in order */
  received: string[];
  /** number of mails that were accepted while the sender still waited */
  taken: number;
};

/** Starts an SMTP server that accepts every mail after a delay. */
export async function mailServer({ delayMs = 0 } = {}): Promise<MailServer> {
  const all = { received: [] as string[], taken: 0 };
  const server = createServer((socket) => {
    let isData = false;
    // compared with earlier data, because the end of a mail may arrive in two pieces
    let last = '';
    socket.write('220 mail\r\n');
    socket.on('data', async (chunk) => {
      const text = chunk.toString();
      all.received.push(text);
      if (isData) {
        last = (last + text).slice(-5);
        if (last !== '\r\n.\r\n') return;
        isData = false;
        await sleep(delayMs);
        if (socket.destroyed) return;
        all.taken += 1;
        socket.write('250 taken\r\n');
      } else if (/^DATA/m.test(text)) {
        isData = true;
        last = '';
        socket.write('354 go on\r\n');
      } else socket.write(/^QUIT/m.test(text) ? '221 bye\r\n' : '250 fine\r\n');
    });
    socket.on('error', () => {});
  });
  const listening = await listen(server);
  const smtpUrl = `smtp://127.0.0.1:${listening.port}?from=login@example.com&ignoreTLS=true`;
  return Object.assign(all, listening, { smtpUrl });
}
