'use client';

import type { ReactNode } from 'react';
import { CodeBlock } from '#app/_components/code-block.tsx';
import { useSay } from '#app/(console)/_texts/in-browser.tsx';
import { useCopyWords } from '#app/(console)/_ui/copy-words-in-browser.ts';
import type { Check } from './attempt.ts';
import { claimsOf, decodeJwt } from './token.ts';

export function Step({
  title,
  ok,
  children,
}: {
  title: string;
  ok?: boolean | undefined;
  children: ReactNode;
}) {
  return (
    <li className={ok === undefined ? 'step' : ok ? 'step good' : 'step bad'}>
      <h2>{title}</h2>
      {children}
    </li>
  );
}

export function Checks({ of }: { of: readonly Check[] }) {
  const say = useSay();
  return (
    <ul className="checks">
      {of.map((check) => (
        <li key={check.name} className={check.ok ? 'good' : 'bad'}>
          <code>{check.name}</code> {say(check.words, check.values)}
        </li>
      ))}
    </ul>
  );
}

/** An address with each parameter on a line of its own. */
export function Address({ label, href }: { label: string; href: string }) {
  const url = new URL(href);
  const lines = [...url.searchParams].map(([name, value], at) => `${at === 0 ? '?' : '&'}${name}=${value}`);
  const copyWords = useCopyWords();
  return (
    <CodeBlock
      label={label}
      code={[`${url.origin}${url.pathname}`, ...lines].join('\n')}
      said={copyWords(label)}
    />
  );
}

export function Token({ token }: { token: string }) {
  const say = useSay();
  const copyWords = useCopyWords();
  const decoded = decodeJwt(token);
  if (!decoded) {
    return (
      <p>
        {say(
          'This access token is opaque: it cannot be read. The API asks the introspection address about it.',
        )}
      </p>
    );
  }
  return (
    <>
      <CodeBlock
        label={say('Header')}
        code={JSON.stringify(decoded.header, null, 2)}
        said={copyWords(say('Header'))}
      />
      <dl className="rows claims">
        {claimsOf(decoded.payload).map(({ name, value, meaning }) => (
          <div key={name}>
            <dt>
              {name} {meaning && <span>{say(meaning)}</span>}
            </dt>
            <dd>
              <code>{value}</code>
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
