export { pushedDeclaration } from './declaration.ts';
export { handlePush, pushRefusal } from './handler.ts';
export { type Pushed, pushedRequest, pushedUse, requireUsable } from './request-uri.ts';
