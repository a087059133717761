export { deliverLogouts, deliverLogoutsSoon, settleLogouts, startBackChannel } from './back-channel.ts';
export { signOutDeclaration, signOutPostDeclaration } from './sign-out-declaration.ts';
export {
  type AfterSignOut,
  openSignOut,
  readSignOut,
  sealSignOut,
  UnusableSignOut,
} from './sign-out-request.ts';
