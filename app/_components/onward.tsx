import type { HostedFrame } from '#app/_html/hosted-frame.ts';
import type { Told } from '#lib/language/message.ts';
import { HostedPage } from './hosted-page.tsx';

type Props = { heading: Told; message: Told; href: string; frame: HostedFrame };

/** A page that has nothing to ask any more, and the way on. */
export function Onward({ heading, message, href, frame }: Props) {
  const { t, told } = frame.words;
  return (
    <HostedPage frame={frame}>
      <h1>{told(heading)}</h1>
      <p className="lead">{told(message)}</p>
      <p className="actions">
        <a className="button" href={href}>
          {t('frame.continue')}
        </a>
      </p>
    </HostedPage>
  );
}
