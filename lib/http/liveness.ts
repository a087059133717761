// Liveness: the process is up. It asks nothing of the database, so the Node door answers it while the rest is still
// being loaded.
import { INTERFACE_VERSION } from '#lib/kit/version.ts';
import type { Answer } from './message.ts';
import { json } from './respond.ts';

export const aliveAnswer = (): Answer => json(200, { status: 'ok', version: INTERFACE_VERSION });
