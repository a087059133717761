// The question of "Why?". The form is a GET, so that the answer has an address and needs no script.
import type { ReactNode } from 'react';
import { EXPLAINED_GRANTS } from '#lib/management/service/explanation.ts';
import { say } from '../_texts/say.tsx';
import { Check, Choice } from '../_ui/choices.tsx';
import { TextField } from '../_ui/fields.tsx';
import { noCredential } from '../_ui/no-credential.ts';
import { Panel } from '../_ui/pieces.tsx';
import { SelectField } from '../_ui/select-field.tsx';

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';

export type WhyAsked = {
  client: string;
  api: string;
  whose: string;
  email: string;
  method: string;
  scope: string;
  grant: (typeof EXPLAINED_GRANTS)[number];
  /** of an exchange */
  subjectApi: string;
  subjectClient: string;
  acts: boolean;
};

export function whyAsked(query: Readonly<Record<string, string>>): WhyAsked {
  const { client = '', api = '', whose = 'me', email = '', method = '', scope = '' } = query;
  const { grant, subject_api: subjectApi = '', subject_client: subjectClient = '', acts } = query;
  return {
    client: client.trim(),
    api,
    whose,
    email: email.trim(),
    method,
    scope: scope.trim(),
    grant: EXPLAINED_GRANTS.find((one) => one === grant) ?? 'authorization_code',
    subjectApi,
    subjectClient: subjectClient.trim(),
    acts: acts === 'on',
  };
}

type QuestionProps = {
  path: string;
  asked: WhyAsked;
  /** the field for what the page does not name: the API of a client, or the client of an API */
  children: ReactNode;
  methods: readonly (readonly [id: string, name: string])[];
  /** those whose tokens may be exchanged */
  apis: readonly (readonly [id: string, name: string])[];
  /** whether other people may be asked for */
  others: boolean;
  /** whether the client may have tokens of its own */
  own: boolean;
};

export function WhyQuestion({ path, asked, children, methods, apis, others, own }: QuestionProps) {
  return (
    <Panel
      id="why"
      heading={say('Would it get a token?')}
      lead={say(
        'The steps that the authorize and token addresses take, by the same rules. Nothing is given.',
      )}
    >
      <form action={`${path}#answer`} className="form">
        {children}
        <Choice
          name="whose"
          label={say('Whose token?')}
          value={asked.whose}
          options={[
            { value: 'me', label: say('Mine'), note: say('You sign in to the application.') },
            ...(others
              ? [
                  {
                    value: 'person',
                    label: say('A person’s'),
                    note: say('The audit log has that you asked.'),
                    below: (
                      <TextField
                        name="email"
                        label={say('E-mail, user name or id')}
                        value={asked.email}
                        {...noCredential()}
                        optionalWord=""
                        optional
                      />
                    ),
                  },
                ]
              : []),
            ...(own
              ? [
                  {
                    value: 'client',
                    label: say('The application’s own'),
                    note: say('Nobody signs in (client_credentials).'),
                  },
                ]
              : []),
          ]}
        />
        <Grant asked={asked} apis={apis} />
        <SelectField
          name="method"
          label={say('Sign-in method')}
          value={asked.method}
          groups={[['', [['', say('The first that they have')], ...methods]]]}
        />
        <TextField
          name="scope"
          label={say('Scope')}
          hint={say('As the request has it, with spaces between.')}
          value={asked.scope}
          {...noCredential()}
          code
          optional
          maxLength={2000}
        />
        <p>
          <button type="submit" className="button">
            {say('Say why')}
          </button>
        </p>
      </form>
    </Panel>
  );
}

function Grant({ asked, apis }: Pick<QuestionProps, 'asked' | 'apis'>) {
  return (
    <Choice
      name="grant"
      label={say('How does it ask?')}
      hint={say('For a person’s token.')}
      value={asked.grant}
      options={[
        {
          value: 'authorization_code',
          label: say('After a sign-in'),
          note: say('The person comes to a page (authorization_code).'),
        },
        {
          value: 'password',
          label: say('With the person’s password'),
          note: say('Where the method has passwords (password).'),
        },
        {
          value: 'refresh_token',
          label: say('With a refresh token'),
          note: say('The one that it has of the person now (refresh_token).'),
        },
        {
          value: DEVICE,
          label: say('With a code that the person types'),
          note: say('A device without a browser (RFC 8628).'),
        },
        {
          value: EXCHANGE,
          label: say('With another token'),
          note: say('Token exchange (RFC 8693).'),
          below: (
            <>
              <SelectField
                name="subject_api"
                label={say('The API of that token')}
                value={asked.subjectApi}
                groups={[['', [['', say('The same')], ...apis]]]}
              />
              <TextField
                name="subject_client"
                label={say('The client_id that has it')}
                hint={say('Left out: the same.')}
                value={asked.subjectClient}
                {...noCredential()}
                code
                optional
              />
              <Check
                name="acts"
                label={say('It acts for the person')}
                note={say('It sends a token of its own as the actor_token (delegation).')}
                checked={asked.acts}
              />
            </>
          ),
        },
      ]}
    />
  );
}
