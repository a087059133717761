export const devicePl = {
  device: {
    allowed: 'Urządzenie jest połączone',
    allowed_lead: 'Proszę wrócić do urządzenia: działa dalej samo. Można zamknąć tę stronę.',
    asks: 'Połączyć urządzenie z {client}?',
    compare:
      'Kod pochodzi z linku. Proszę kontynuować tylko wtedy, gdy urządzenie pokazuje dokładnie ten kod.',
    denied: 'Urządzenie nie jest połączone',
    denied_lead: 'Nic mu nie przekazano. Można zamknąć tę stronę.',
    from: 'Prośba pochodzi z {from}.',
    from_at: 'Czas prośby: {time}.',
    gone: 'Tego kodu nie można już użyć',
    gone_lead: 'Wygasł albo decyzja już zapadła. Proszę zacząć od nowa na urządzeniu.',
    heading: 'Połącz urządzenie',
    lead: 'Proszę wpisać kod, który pokazuje urządzenie.',
    may: 'Urządzenie prosi o działanie w Twoim imieniu w {api}.',
    other_network: 'To nie jest Twoja sieć. Jeśli urządzenia nie ma przy Tobie, wybierz Odmów.',
    same_network: 'To jest sieć tej przeglądarki.',
    sent: 'Ktoś przysłał Ci ten kod? Wybierz Odmów: ta osoba działałaby w Twoim imieniu, a klucz dostępu przed tym nie chroni.',
    unknown:
      'Żadne urządzenie nie czeka z tym kodem. Proszę spojrzeć na urządzenie i wpisać kod jeszcze raz.',
    unknown_place: 'Stąd nie widać, gdzie jest urządzenie.',
  },
};
