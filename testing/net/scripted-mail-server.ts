// An SMTP server with responses that a test chooses.
import { createServer, type Socket } from 'node:net';
import tls from 'node:tls';
import type { Certificate } from './certificate.ts';
import { type Listening, listen } from './listen.ts';

/** Responses that replace the usual acceptance of commands. */
export type MailScript = {
  /** greeting; `null`: the server sends none and accepts nothing */
  greeting?: string | null;
  answers?: Readonly<Record<string, string>>;
  /** response to the message itself */
  end?: string;
  /** implicit TLS from the start, or STARTTLS, offered in EHLO */
  tls?: Certificate & { from: 'beginning' | 'starttls' };
};

export type ScriptedMailServer = Listening & { messages: string[] };

export async function scriptedMailServer(script: MailScript = {}): Promise<ScriptedMailServer> {
  const messages: string[] = [];
  const sockets = new Set<Socket>();
  const begin = (socket: Socket) => {
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));
    if (script.greeting === null) return;
    socket.write(`${script.greeting ?? '220 mail'}\r\n`);
    talk(socket, script, messages);
  };
  const { tls: secure } = script;
  const server = secure?.from === 'beginning' ? tls.createServer(secure, begin) : createServer(begin);
  const listening = await listen(server);
  const close = () => {
    for (const socket of sockets) socket.destroy();
    return listening.close();
  };
  return { ...listening, messages, close };
}

function talk(socket: Socket, script: MailScript, messages: string[]): void {
  const { answers = {}, end = '250 taken', tls: secure } = script;
  const offer = secure?.from === 'starttls' ? '250-STARTTLS\r\n' : '';
  const usual: Record<string, string> = {
    EHLO: `250-mail\r\n${offer}250-AUTH PLAIN LOGIN\r\n250 8BITMIME`,
    STARTTLS: '220 go on',
    AUTH: '235 welcome',
    DATA: '354 go on',
    QUIT: '221 bye',
  };
  let message: string | null = null;
  const read = (chunk: Buffer) => {
    const text = chunk.toString();
    if (message !== null) {
      message += text;
      if (!message.endsWith('\r\n.\r\n')) return;
      messages.push(message);
      message = null;
      socket.write(`${end}\r\n`);
      return;
    }
    const verb = text.split(/[\s:]/)[0] ?? '';
    const answer = answers[verb] ?? usual[verb] ?? '250 fine';
    if (answer.startsWith('354')) message = '';
    socket.write(`${answer}\r\n`);
    if (verb !== 'STARTTLS' || !secure || !answer.startsWith('220')) return;
    socket.off('data', read);
    const encrypted = new tls.TLSSocket(socket, { isServer: true, key: secure.key, cert: secure.cert });
    encrypted.on('error', () => {});
    talk(encrypted, script, messages);
  };
  socket.on('data', read);
}
