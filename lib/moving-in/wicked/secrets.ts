// Values that wicked encrypted: AES-256-CTR with 40 characters of noise first, key and IV from a password by
// EVP_BytesToKey (MD5, no salt, one round), as `openssl enc -aes-256-ctr -md md5 -nosalt` has it.
import { createDecipheriv, hash } from 'node:crypto';

const NOISE = 40;

/** Null: it was encrypted with another key. */
export function opened(hex: string, password: string): string | null {
  if (!/^(?:[0-9a-f]{2})+$/i.test(hex)) return null;
  const derived = [0, 1, 2].reduce<Buffer[]>((made) => {
    const before = made.at(-1) ?? Buffer.alloc(0);
    return [...made, hash('md5', Buffer.concat([before, Buffer.from(password, 'utf8')]), 'buffer')];
  }, []);
  const bytes = Buffer.concat(derived);
  const decipher = createDecipheriv('aes-256-ctr', bytes.subarray(0, 32), bytes.subarray(32, 48));
  const plain = Buffer.concat([decipher.update(Buffer.from(hex, 'hex')), decipher.final()]);
  const text = plain.toString('utf8');
  return Buffer.from(text, 'utf8').equals(plain) && /^[0-9a-f]{40}/i.test(text) ? text.slice(NOISE) : null;
}
