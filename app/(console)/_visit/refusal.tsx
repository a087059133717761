import { headers } from 'next/headers';
import type { Plain, Told } from '#lib/language/message.ts';
import { visitWords } from '../_ui/page-language.ts';

/** Shown inside the frame, in the place of a page that was refused. */
export async function Refusal({ heading, message }: { heading: Plain; message: Told }) {
  const { t, told } = await visitWords();
  const requestId = (await headers()).get('x-request-id');
  return (
    <div className="refusal">
      <h1>{t(heading)}</h1>
      <p className="lead">{told(message)}</p>
      {requestId && (
        <p className="soft">
          {t('frame.request_id')} <code>{requestId}</code>
        </p>
      )}
    </div>
  );
}
