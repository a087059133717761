'use client';

import { useEffect, useState } from 'react';
import { useSay } from '#app/(console)/_texts/in-browser.tsx';
import { toSay } from '#app/(console)/_texts/to-say.ts';
import type { Attempt, Check } from './attempt.ts';
import { checkIdToken } from './id-token-checks.ts';
import { Checks, Step, Token } from './raw.tsx';

type IdTokenProps = { attempt: Attempt; idToken: string; accessToken: string };

export function IdToken({ attempt, idToken, accessToken }: IdTokenProps) {
  const say = useSay();
  const [checks, setChecks] = useState<Check[]>([]);
  useEffect(() => {
    void checkIdToken({ idToken, accessToken, attempt }).then(setChecks, (error: Error) =>
      setChecks([
        {
          name: 'keys',
          ok: false,
          words: toSay('could not be read: {reason}'),
          values: { reason: error.message },
        },
      ]),
    );
  }, [idToken, accessToken, attempt]);
  const ok = checks.length === 0 ? undefined : checks.every((check) => check.ok);
  return (
    <Step title={say('The ID token')} ok={ok}>
      <Checks of={checks} />
      <Token token={idToken} />
    </Step>
  );
}
