'use client';

import { useEffect, useState } from 'react';
import type { Attempt, Check } from './attempt.ts';
import { checkIdToken } from './id-token-checks.ts';
import { Checks, Step, Token } from './raw.tsx';

type IdTokenProps = { attempt: Attempt; idToken: string; accessToken: string };

export function IdToken({ attempt, idToken, accessToken }: IdTokenProps) {
  const [checks, setChecks] = useState<Check[]>([]);
  useEffect(() => {
    void checkIdToken({ idToken, accessToken, attempt }).then(setChecks, (error: Error) =>
      setChecks([{ name: 'keys', ok: false, words: `could not be read: ${error.message}` }]),
    );
  }, [idToken, accessToken, attempt]);
  const ok = checks.length === 0 ? undefined : checks.every((check) => check.ok);
  return (
    <Step title="The ID token" ok={ok}>
      <Checks of={checks} />
      <Token token={idToken} />
    </Step>
  );
}
