export {
  claimDeviceRequest,
  type DeviceRequest,
  decideDeviceRequest,
  findDeviceRequest,
  keepDeviceRequest,
  noteDevicePoll,
  type PolledDevice,
  pollDeviceRequest,
} from './device-requests.ts';
