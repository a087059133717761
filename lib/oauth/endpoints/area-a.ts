// Area A's health and readiness (specification 4.1).
import { aliveAnswer } from '#lib/http/liveness.ts';
import type { Answer } from '#lib/http/message.ts';
import { json } from '#lib/http/respond.ts';
import { isDraining } from '#lib/kit/lifecycle.ts';
import { VERSION } from '#lib/kit/version.ts';
import { readiness } from '#lib/store/registry/ready.ts';

/** Liveness: asks nothing of the database. */
export async function handleHealth(): Promise<Answer> {
  return aliveAnswer();
}

/** Readiness, with each check by name. */
export async function handleReady(): Promise<Answer> {
  const checks = { ...(await readiness()), process: isDraining() ? 'stopping' : 'ok' };
  const ready = Object.values(checks).every((check) => check === 'ok');
  return json(ready ? 200 : 503, { status: ready ? 'ok' : 'unavailable', version: VERSION, checks });
}
