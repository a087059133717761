'use client';

// Addresses, one per line. With JavaScript, a selected file is loaded into the field, so that users can check it.
import { type ChangeEvent, useEffect, useId, useRef, useState } from 'react';
import { TextArea } from '#app/(console)/_kit/fields.tsx';
import { useSay } from '#app/(console)/_texts/in-browser.tsx';

export function AddressesField({ value }: { value: string }) {
  const say = useSay();
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const [scripted, setScripted] = useState(false);
  useEffect(() => setScripted(true), []);

  async function read(event: ChangeEvent<HTMLInputElement>) {
    const input = event.currentTarget;
    const text = await input.files?.[0]?.text();
    const area = place.current?.querySelector('textarea');
    if (text === undefined || !area) return;
    const before = area.value.trimEnd();
    area.value = before === '' ? text : `${before}\n${text}`;
    // cleared, so that selecting the same file again fires a change event
    input.value = '';
    area.focus();
  }

  return (
    <div ref={place} className="stack">
      <TextArea
        name="emails"
        label={say('Addresses')}
        hint={say('One per line, or separated by commas or semicolons; 500 at most.')}
        value={value}
        rows={6}
        maxLength={40_000}
        code
      />
      {scripted && (
        <div className="entry">
          <label htmlFor={id}>
            {say('From a file')} <span className="optional">{say('optional')}</span>
          </label>
          <input id={id} type="file" accept=".txt,.csv,text/plain,text/csv" onChange={read} />
        </div>
      )}
    </div>
  );
}
