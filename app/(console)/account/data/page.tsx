import type { Metadata } from 'next';
import type { SearchParams } from '#app/_components/page-input.ts';
import { Panel, Title } from '../../_ui/pieces.tsx';
import { visit } from '../../_visit/visit.tsx';

export const metadata: Metadata = { title: 'Your data' };

export default function DataPage({ searchParams }: { searchParams: SearchParams }) {
  const page = { area: 'account', here: '/account', path: '/account/data', searchParams } as const;
  return visit(page, async () => (
    <>
      <Title
        back={{ href: '/account', label: 'Your account' }}
        lead="All that this service keeps of you, as a file that programs read too (JSON)."
      >
        Your data
      </Title>
      <Panel
        id="file"
        heading="What is in it"
        lead="Your profile, who vouches for you elsewhere and what they said, what you allowed, your second steps, your applications and requests, and the newest 10,000 each of where you are signed in, where you signed in, and what the log has about you. No password, no key and no code."
      >
        <div className="form-actions">
          <a className="button" href="/account/data/file">
            Download the file
          </a>
        </div>
      </Panel>
    </>
  ));
}
