import type { Metadata } from 'next';
import type { SearchParams } from '#app/_components/page-input.ts';
import {
  listMyConsents,
  listMyDelegations,
  listMySessions,
  listMySignIns,
  readMyProfile,
} from '#lib/management/index.ts';
import { Panel, Title } from '../_ui/pieces.tsx';
import { visit } from '../_visit/visit.tsx';
import { Consents } from './consents.tsx';
import { Delegations } from './delegations.tsx';
import { Details, Profile } from './profile.tsx';
import { Sessions } from './sessions.tsx';
import { SignIns } from './sign-ins.tsx';

export const metadata: Metadata = { title: 'Your account' };

export default function AccountPage({ searchParams }: { searchParams: SearchParams }) {
  const page = { area: 'account', here: '/account', path: '/account', searchParams } as const;
  return visit(page, async ({ actor, form, typed }) => {
    const [profile, consents, delegations, sessions, signIns] = await Promise.all([
      readMyProfile(actor),
      listMyConsents(actor),
      listMyDelegations(actor),
      listMySessions(actor),
      listMySignIns(actor, { limit: 5 }),
    ]);
    return (
      <>
        <Title lead="Who you are here, which applications may act for you, and where you are signed in.">
          Your account
        </Title>
        <Consents consents={consents} withdraw={await form('consent-withdraw')} />
        <Delegations delegations={delegations} end={await form('delegation-end')} />
        <Profile
          profile={profile}
          rename={await form('name')}
          confirm={await form('email-verification')}
          name={typed('name').one('name', profile.name)}
        />
        <Details profile={profile} choose={await form('profile')} choices={typed('profile')} />
        <Sessions
          sessions={sessions}
          end={await form('session-end')}
          endOthers={await form('sessions-end')}
        />
        <SignIns rows={signIns.rows} more={signIns.next !== null} />
        <Panel id="data" heading="Your data" lead="All that this service keeps of you, to take with you.">
          <div className="form-actions">
            <a className="button plain" href="/account/data">
              Download my data
            </a>
          </div>
        </Panel>
        <Panel
          id="leave"
          heading="Leave"
          lead="Your account ends for good, with all that applications may do for you."
        >
          <div className="form-actions">
            <a className="button danger" href="/account/delete">
              Delete my account…
            </a>
          </div>
        </Panel>
      </>
    );
  });
}
