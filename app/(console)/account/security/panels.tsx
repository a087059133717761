// Advice about factors for a user, and the list of trusted browsers.
import { Name, Sentence } from '#app/_components/pieces.tsx';
import type { Words } from '#lib/language/words.ts';
import type { MyFactors } from '#lib/management/my-account.ts';
import { Form, Submit } from '../../_kit/form.tsx';
import { List, Row } from '../../_kit/list.tsx';
import { visitWords } from '../../_kit/page-language.ts';
import type { FormStart } from '../../_kit/page-start.tsx';
import { Callout, Panel, When } from '../../_kit/pieces.tsx';
import { withQuery } from '../../_kit/with-query.ts';
import { deviceOf } from '../device-name.ts';

/**
 * `add`: the user has no factor. `phone`, `factor`: the user signed in with a recovery code instead of an app or
 * passkey. `codes`: few recovery codes are left.
 */
export type Advice = 'add' | 'phone' | 'factor' | 'codes';

const FEW_CODES = 3;

type Known = Pick<MyFactors, 'maySetUp' | 'totps' | 'passkeys' | 'recoveryCodes' | 'codeUsedAt'>;

/** A factor that was added or used after the recovery code is not lost, so no advice is needed. */
export function adviceOn({ maySetUp, totps, passkeys, recoveryCodes, codeUsedAt }: Known): Advice | null {
  const factors = [...totps, ...passkeys];
  if (factors.length === 0) return maySetUp ? 'add' : null;
  const factorTimes = factors.flatMap(({ createdAt, lastUsedAt }) => [createdAt, lastUsedAt ?? createdAt]);
  const isLost = codeUsedAt !== null && factorTimes.every((at) => at < codeUsedAt);
  if (isLost && maySetUp) return totps.length > 0 ? 'phone' : 'factor';
  return recoveryCodes <= FEW_CODES ? 'codes' : null;
}

/** Address of the next step for each advice. A user with several apps first selects the lost app. */
const wayOf = ({ totps: [only, another] }: MyFactors): Record<Advice, string> => ({
  add: '/account/security/add',
  phone:
    only && !another ? withQuery('/account/security/replace', { id: only.id }) : '/account/security#apps',
  factor: '/account/security/add',
  codes: '/account/security#codes',
});

type NudgeProps = { factors: MyFactors; words: Words };

export function Nudge({ factors, words }: NudgeProps) {
  const advice = adviceOn(factors);
  if (advice === null) return null;
  const { t, parts } = words;
  const recoveryCodes = factors.recoveryCodes;
  return (
    <Callout>
      <p>
        {advice === 'add' && t('security.none_yet')}
        {(advice === 'phone' || advice === 'factor') && (
          <Sentence
            parts={parts('security.nudge_phone', {
              left: recoveryCodes,
              at: <When at={factors.codeUsedAt} words={words} />,
            })}
          />
        )}
        {advice === 'codes' &&
          (recoveryCodes === 0
            ? t('security.codes_none')
            : t('security.nudge_codes', { left: recoveryCodes }))}
      </p>
      <p>
        <a href={wayOf(factors)[advice]}>
          {advice === 'add' && t('security.add')}
          {(advice === 'phone' || advice === 'factor') && t('security.nudge_phone_go')}
          {advice === 'codes' && t('security.codes_make')}
        </a>
      </p>
    </Callout>
  );
}

type TrustedBrowsersProps = { browsers: MyFactors['trustedBrowsers']; forget: FormStart };

export async function TrustedBrowsers({ browsers, forget }: TrustedBrowsersProps) {
  if (browsers.length === 0) return null;
  const words = await visitWords();
  const { t, parts } = words;
  return (
    <Panel
      id="browsers"
      heading={t('security.browsers')}
      lead={`${t('security.browsers_lead')} ${t('my.device_choose')}`}
      aside={
        <Form {...forget} className="inline" fields={{ id: 'all' }}>
          <Submit tone="link">{t('security.forget_all')}</Submit>
        </Form>
      }
    >
      <List label={t('security.browsers')}>
        {browsers.map(({ id, userAgent, name, lastUsedAt, expiresAt }) => (
          <Row
            key={id}
            href={withQuery('/account/device', { browser: id })}
            title={<Name>{name ?? deviceOf(userAgent, t)}</Name>}
            side={
              <Form {...forget} className="inline" fields={{ id }}>
                <Submit tone="plain" of={name ?? deviceOf(userAgent, t)}>
                  {t('security.forget')}
                </Submit>
              </Form>
            }
          >
            {name !== null && `${deviceOf(userAgent, t)} · `}
            <Sentence
              parts={parts('security.browsers_dates', {
                used: <When at={lastUsedAt} words={words} />,
                ends: <When at={expiresAt} words={words} />,
              })}
            />
          </Row>
        ))}
      </List>
    </Panel>
  );
}
