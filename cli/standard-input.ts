// Standard input, for passwords: they appear in no list of processes and no shell history.
import { fstatSync } from 'node:fs';

/**
 * The first line that is piped in; null at a terminal and where there is none. A shell's pipe is waited for as long as
 * it is open. A program that started us may give us a socket instead, which it never closes: with `patience` that one
 * has so many milliseconds to say something.
 */
export async function firstLine({ patience }: { patience?: number } = {}): Promise<string | null> {
  if (process.stdin.isTTY) return null;
  const chunks = process.stdin[Symbol.asyncIterator]();
  let next = chunks.next();
  if (patience !== undefined && isSocket()) next = Promise.race([next, silence(patience)]);
  let text = '';
  for (let read = await next; !read.done; read = await chunks.next()) {
    text += read.value;
    if (text.includes('\n')) break;
  }
  const line = text.replace(/\r?\n[\s\S]*$/, '');
  return line === '' ? null : line;
}

function silence(milliseconds: number): Promise<IteratorReturnResult<undefined>> {
  return new Promise((resolve) => {
    setTimeout(() => resolve({ done: true, value: undefined }), milliseconds).unref();
  });
}

function isSocket(): boolean {
  try {
    return fstatSync(0).isSocket();
  } catch {
    return false;
  }
}
