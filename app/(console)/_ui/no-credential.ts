// Text fields of forms that are sent by GET: a browser refuses a credential there, and says where to paste it.
import { NO_CREDENTIAL_PATTERN } from '#lib/tokens/credential-text.ts';
import { say } from '../_texts/say.tsx';

export const noCredential = () => ({
  pattern: NO_CREDENTIAL_PATTERN,
  title: say(
    'No token, code, password or secret: an address is kept by histories and logs. Paste tokens into “Find anything”.',
  ),
});
