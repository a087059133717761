export const deviceEn = {
  device: {
    allowed: 'The device is connected',
    allowed_lead: 'Go back to the device: it continues automatically. You can close this page.',
    asks: 'Connect a device with {client}?',
    compare: 'The code came with a link. Continue only if your device shows exactly this code.',
    denied: 'The device is not connected',
    denied_lead: 'Nothing was shared with it. You can close this page.',
    from: 'The request comes from {from}.',
    from_at: 'Requested {time}.',
    gone: 'This code can no longer be used',
    gone_lead: 'It has expired, or was already used. Start again on the device.',
    heading: 'Connect a device',
    lead: 'Type the code that the device shows.',
    may: 'The device asks to act at {api} on your behalf.',
    other_network:
      'The request comes from another network than yours. If the device is not with you, press Deny.',
    same_network: 'The request comes from the network of this browser.',
    sent: 'Did another person send you this code? Press Deny: they would act in your name, and a passkey does not protect you from it.',
    unknown: 'No device is waiting with this code. Check the device, and enter the code again.',
    unknown_place: 'The location of the device is unknown.',
  },
} as const;
