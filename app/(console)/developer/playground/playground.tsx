'use client';

// The code grant with PKCE, step by step, in this browser: the request, then its results.
import { useEffect, useState } from 'react';
import { useSay } from '#app/(console)/_texts/in-browser.tsx';
import { type Answer, type Attempt, forget, kept, readAnswer } from './attempt.ts';
import { type BrowserKey, browserKey } from './key.ts';
import { challengeOf } from './pkce.ts';
import { Run } from './run.tsx';
import { Start, type StartProps } from './start.tsx';

type Back = { attempt: Attempt; answer: Answer; challenge: string; browserKey: BrowserKey | null };

export function Playground(props: StartProps) {
  const say = useSay();
  const [back, setBack] = useState<Back | null>(null);
  const [canHash, setCanHash] = useState(true);

  useEffect(() => {
    // Web Crypto is there over https and on localhost only
    if (!window.isSecureContext) return setCanHash(false);
    const attempt = kept();
    const answer = attempt && readAnswer(window.location.search, attempt);
    if (!attempt || !answer) return;
    // keeps the code out of the browser's history
    const query = new URLSearchParams({ client: attempt.clientId });
    window.history.replaceState(null, '', `${window.location.pathname}?${query}`);
    const made = [challengeOf(attempt.verifier), attempt.bound ? browserKey() : null] as const;
    void Promise.all(made).then(([challenge, key]) =>
      setBack({ attempt, answer, challenge, browserKey: key }),
    );
  }, []);

  if (!canHash)
    return (
      <p className="notice">
        {say(
          'The playground needs https or localhost: over plain http this browser cannot make a PKCE challenge.',
        )}
      </p>
    );
  if (!back) return <Start {...props} />;
  const again = () => {
    forget();
    setBack(null);
  };
  return <Run {...back} again={again} />;
}
