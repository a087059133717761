export { handleAuthorize, handleAuthorizePost } from './handler.ts';
