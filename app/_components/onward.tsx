import type { HostedFrame } from '#app/_html/hosted-frame.ts';
import { HostedPage } from './hosted-page.tsx';

type Props = { heading: string; message: string; href: string; frame: HostedFrame };

/** A page that has nothing to ask any more, and the way on. */
export function Onward({ heading, message, href, frame }: Props) {
  const { t, said } = frame.words;
  return (
    <HostedPage frame={frame}>
      <h1>{said(heading)}</h1>
      <p className="lead">{said(message)}</p>
      <p className="actions">
        <a className="button" href={href}>
          {t('frame.continue')}
        </a>
      </p>
    </HostedPage>
  );
}
