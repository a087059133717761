import { listMyDelegations } from '#lib/management/delegations.ts';
import {
  listMyConsents,
  listMySessions,
  listMySignIns,
  readMyFactors,
  readMyProfile,
} from '#lib/management/my-account.ts';
import { messageTitle } from '../_kit/page-language.ts';
import { Panel, Title } from '../_kit/pieces.tsx';
import { consolePage } from '../_kit/visit.tsx';
import { Consents, Delegations, Details, ProfilePanel, SecurityCard, Sessions } from './panels.tsx';
import { Nudge } from './security/panels.tsx';
import { SignIns } from './sign-ins.tsx';

export const generateMetadata = messageTitle('my.heading');

export default consolePage('/account', async ({ actor, form, typed, words }) => {
  const { t } = words;
  const [profile, factors, consents, delegations, sessions, signIns] = await Promise.all([
    readMyProfile(actor),
    readMyFactors(actor),
    listMyConsents(actor),
    listMyDelegations(actor),
    listMySessions(actor),
    listMySignIns(actor, { limit: 5 }),
  ]);
  return (
    <>
      <Title lead={t('my.lead')}>{t('my.heading')}</Title>
      <Nudge factors={factors} words={words} />
      <SecurityCard profile={profile} factors={factors} words={words} />
      <Sessions sessions={sessions} end={await form('session-end')} endOthers={await form('sessions-end')} />
      <SignIns rows={signIns.rows} more={signIns.next !== null} />
      <Consents consents={consents} withdraw={await form('consent-withdraw')} words={words} />
      <Delegations delegations={delegations} end={await form('delegation-end')} words={words} />
      <ProfilePanel
        profile={profile}
        rename={await form('name')}
        confirm={await form('email-verification')}
        name={typed('name').one('name', profile.name)}
      />
      <Details profile={profile} choose={await form('profile')} choices={typed('profile')} />
      <Panel id="data" heading={t('my.data')} lead={t('my.data_lead')}>
        <div className="form-actions">
          <a className="button plain" href="/account/data">
            {t('my.data_download')}
          </a>
        </div>
      </Panel>
      <Panel id="leave" heading={t('my.leave')} lead={t('my.leave_lead')}>
        <div className="form-actions">
          <a className="button danger" href="/account/delete">
            {t('my.delete')}
          </a>
        </div>
      </Panel>
    </>
  );
});
