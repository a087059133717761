export { deviceReturn, handleDeviceAuthorization, requestOfDevice } from './ask.ts';
export { deviceDeclaration } from './ask-declaration.ts';
export {
  connectDevice,
  type DeviceEnd,
  denyDevice,
  isConnected,
  isDenial,
  isOfDevice,
  nextForDevice,
  requireDevices,
  secondsLeft,
} from './connect.ts';
export { findTyped } from './typed.ts';
export { readTypedCode, shownTypedCode } from './typed-code.ts';
