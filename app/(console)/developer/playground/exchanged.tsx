'use client';

// The requests that were sent, each with its proof and its answer, and what a token is bound to.
import { CodeBlock } from '#app/_components/code-block.tsx';
import { useSay } from '#app/(console)/_texts/in-browser.tsx';
import { toSay } from '#app/(console)/_texts/to-say.ts';
import { useCopyWords } from '#app/(console)/_ui/copy-words-in-browser.ts';
import type { Exchange } from './exchange.ts';
import type { BrowserKey } from './key.ts';
import { Checks, Step } from './raw.tsx';
import { decodeJwt } from './token.ts';

export type Sent = { title: string; exchange: Exchange };

export function Exchanged({ of }: { of: readonly Sent[] }) {
  const say = useSay();
  const copyWords = useCopyWords();
  return of.map(({ title, exchange: { sent, proof, status, received, asksForNonce } }, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: steps are only ever added
    <Step key={at} title={title} ok={asksForNonce ? undefined : status === 200 || status === 201}>
      <CodeBlock label={say('Sent')} code={sent} said={copyWords(say('Sent'))} />
      {proof !== null && (
        <CodeBlock
          label={say('The proof of the key, decoded')}
          code={JSON.stringify(decodeJwt(proof), null, 2)}
          said={copyWords(say('The proof of the key, decoded'))}
        />
      )}
      <CodeBlock
        label={say('Received')}
        code={status === null ? say('No answer: {reason}', { reason: received }) : received}
        said={copyWords(say('Received'))}
      />
    </Step>
  ));
}

type BoundToProps = { token: string; browserKey: BrowserKey | null };

/** Nothing where no key was made, or the token says nothing that can be read. */
export function BoundTo({ token, browserKey }: BoundToProps) {
  const payload = decodeJwt(token)?.payload;
  if (!browserKey || !payload) return null;
  const { jkt } = (payload['cnf'] ?? {}) as { jkt?: string };
  const ok = jkt === browserKey.thumbprint;
  const words = ok
    ? toSay('is the key of this browser: without it the token opens nothing')
    : toSay('is another key than that of this browser: stop here');
  return <Checks of={[{ name: 'cnf.jkt', ok, words }]} />;
}
