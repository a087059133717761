import { Sentence } from '#app/_components/pieces.tsx';
import type { Words } from '#lib/language/words.ts';
import { ADDRESS_CHANGE_MINUTES } from '#lib/mail/messages.ts';
import { readAddressChange } from '#lib/management/my-account.ts';
import { TextField } from '../../_kit/fields.tsx';
import { Form } from '../../_kit/form.tsx';
import { messageTitle } from '../../_kit/page-language.ts';
import { Panel, Title } from '../../_kit/pieces.tsx';
import { consolePage, type Visit } from '../../_kit/visit.tsx';

export const generateMetadata = messageTitle('my.address_heading');

const LEAVE = { href: '/account' };

export default consolePage('/account/address', async ({ actor, query, form, typed, words }) => {
  const { t } = words;
  const { change: handle = '' } = query;
  const change = handle === '' ? null : await readAddressChange(actor, { handle });
  return (
    <>
      <Title back={{ href: '/account', label: t('my.heading') }} lead={t('my.address_lead')}>
        {t('my.address_heading')}
      </Title>
      {change ? (
        <Codes change={change} handle={handle} form={form} words={words} />
      ) : (
        <Panel id="address" heading={t('my.address_where')} lead={t('my.address_where_lead')}>
          <Form
            {...(await form('address-start'))}
            submit={t('my.address_send')}
            leave={{ ...LEAVE, label: t('my.address_keep') }}
          >
            <TextField
              name="email"
              label={t('my.address_new')}
              type="email"
              value={typed('address-start').one('email')}
              autoComplete="email"
              maxLength={320}
              code
            />
          </Form>
        </Panel>
      )}
    </>
  );
});

type CodesProps = {
  change: { from: string; email: string };
  handle: string;
  form: Visit['form'];
  words: Words;
};

async function Codes({ change, handle, form, words: { t, parts } }: CodesProps) {
  return (
    <Panel
      id="codes"
      heading={t('my.codes_both')}
      lead={
        <>
          {t('my.codes_lead', { minutes: ADDRESS_CHANGE_MINUTES })}{' '}
          <Sentence
            parts={parts('my.codes_again', { begin: <a href="/account/address">{t('my.codes_begin')}</a> })}
          />
        </>
      }
    >
      <Form
        {...(await form('address-finish'))}
        fields={{ handle }}
        submit={t('my.address_change')}
        leave={{ ...LEAVE, label: t('my.address_keep') }}
      >
        {(
          [
            ['codeHere', change.from],
            ['codeThere', change.email],
          ] as const
        ).map(([name, address]) => (
          <TextField
            key={name}
            name={name}
            label={t('my.code_sent_to', { email: address })}
            autoComplete="one-time-code"
            maxLength={10}
            code
          />
        ))}
      </Form>
    </Panel>
  );
}
