// Where the forms of our own pages go. They are no interface, so nothing documents them.
import type { Answer, HttpRequest } from '#lib/http/message.ts';
import { handleConfirm } from './confirm.ts';
import { handleConsent } from './consent.ts';
import { handleDevice } from './device.ts';
import { handleLogout } from './logout.ts';
import { handleNewPassword } from './new-password.ts';
import { handlePasskeySignIn } from './passkey-sign-in.ts';
import { handleRegister } from './register.ts';
import { handleSetUp } from './set-up.ts';
import { handleSignIn } from './sign-in.ts';

export const FORMS: Readonly<Record<string, (request: HttpRequest) => Promise<Answer>>> = {
  '/login/submit': handleSignIn,
  '/login/passkey': handlePasskeySignIn,
  '/new-password/submit': handleNewPassword,
  '/consent/submit': handleConsent,
  '/confirm/submit': handleConfirm,
  '/set-up/submit': handleSetUp,
  '/register/submit': handleRegister,
  '/device/submit': handleDevice,
  '/logout/submit': handleLogout,
};
