// Worker thread for digests of old passwords: their many rounds of JavaScript would block all requests of the
// process. The thread receives no environment variables.
import { parentPort } from 'node:worker_threads';
import { makeOldDigest, type Recipe } from './old-digest.ts';

export type DigestJob = Omit<Recipe, 'salt'> & { salt: Uint8Array; password: string };
export type DigestAnswer = { digest: string } | { failed: string };

parentPort?.on('message', async ({ password, salt, ...recipe }: DigestJob) => {
  const answer: DigestAnswer = await makeOldDigest({ ...recipe, salt: Buffer.from(salt) }, password).then(
    (digest) => ({ digest }),
    (error: Error) => ({ failed: error.message }),
  );
  parentPort?.postMessage(answer);
});
