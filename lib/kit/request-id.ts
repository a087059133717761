// The id of a request: a UUID of version 7 (RFC 9562 §5.7). It begins with the time, so the logs' indexes of time find
// what they have of it.
import { randomUUID } from 'node:crypto';
import { now } from './clock.ts';

export function newRequestId(): string {
  const time = now().getTime().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
