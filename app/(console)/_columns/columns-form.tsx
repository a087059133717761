'use client';

// The choice of columns. Without JavaScript its button loads the page; with it each change applies at once, and the
// list beside it is another one.
import { useRouter } from 'next/navigation';
import { type FormEvent, type ReactNode, useRef } from 'react';

export function ColumnsForm({ action, children }: { action: string; children: ReactNode }) {
  const router = useRouter();
  const last = useRef(Promise.resolve());

  function changed({ currentTarget: form }: FormEvent<HTMLFormElement>) {
    const given = [...new FormData(form)].map(([name, value]) => [name, String(value)]);
    // one after the other, so that the last change is the one that is kept; a redirect that is not followed still sets
    // its cookie
    last.current = last.current
      .then(() => fetch(`${action}?${new URLSearchParams(given)}`, { redirect: 'manual' }))
      .then(
        () => router.refresh(),
        () => form.submit(),
      );
  }

  return (
    <form action={action} className="columns-form" onChange={changed}>
      {children}
    </form>
  );
}
