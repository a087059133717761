// Members of what another service says: by their names, or by a path such as `picture.data.url`.
import { z } from 'zod';

export type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A name with dots is a name first: claims may be called https://… (OpenID Connect Core §5.1.2). */
export function valueAt(source: Members, path: string): unknown {
  if (Object.hasOwn(source, path)) return source[path];
  let at: unknown = source;
  for (const name of path.split('.')) {
    if (!isObject(at) || !Object.hasOwn(at, name)) return undefined;
    at = at[name];
  }
  return at;
}

/** OpenID Connect Core §2: at most 255 characters. Some plain OAuth 2.0 brokers send a number. */
const subject = z.union([z.string().min(1).max(255), z.int().transform(String)]);

/** What names a person; null: nothing that can. */
export const subjectAt = (source: Members, path: string): string | null =>
  subject.safeParse(valueAt(source, path)).data ?? null;

/** A whole number that JavaScript would round becomes the text that was sent: it may be the id of a person. */
export function exactJson(text: string): unknown {
  return JSON.parse(text, function read(_key: string, value: unknown, context?: { source?: string }) {
    const source = context?.source ?? '';
    const isRounded = typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source);
    return isRounded ? source : value;
  });
}
