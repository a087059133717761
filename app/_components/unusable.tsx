import type { HostedFrame } from '#app/_html/hosted-frame.ts';
import type { Told } from '#lib/language/message.ts';
import { HostedPage } from './hosted-page.tsx';
import { Reference } from './reference.tsx';

type Props = { heading: Told; message: Told; requestId: string; frame: HostedFrame };

/** For a link that cannot be used: what is wrong, and what to do. */
export function Unusable({ heading, message, requestId, frame }: Props) {
  const { t, told } = frame.words;
  return (
    <HostedPage frame={frame}>
      <h1>{told(heading)}</h1>
      <p className="lead">{told(message)}</p>
      <Reference name={t('frame.request_id')} id={requestId} />
      <p className="note">{t('frame.nothing_shared')}</p>
    </HostedPage>
  );
}
