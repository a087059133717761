import type { Messages } from '../types.ts';

export const accountPl: Pick<Messages, 'account'> = {
  account: {
    may_not: 'Nie możesz tego zrobić',
    another_link: 'Poproś o nowy link',
    back_to_sign_in: 'Wróć do logowania',
    choose_password: 'Wybierz nowe hasło',
    link_used: 'Ten link już nie działa',
    link_used_lead: 'Został już użyty albo jest zbyt stary.',
    mail_here: 'Ta usługa nie ma serwera poczty: przeczytaj e-mail pod adresem {address}.',
    marked: 'Nic jeszcze nie zapisano. Sprawdź, co zaznaczono poniżej.',
    new_password: 'Nowe hasło',
    not_there: 'Nie ma tego',
    open_again: 'Otwórz stronę ponownie',
    reset_asked: 'Otwórz link z e-maila w ciągu {minutes} minut. Nic nie przyszło? Zajrzyj do spamu.',
    reset_for: 'Konto {email}. Wszystkie sesje zostaną zakończone. Potem zaloguj się nowym hasłem.',
    reset_lead: 'Wyślemy link na Twój adres. Działa jeden raz.',
    reset_notice: 'Jeśli istnieje konto z tym adresem, link jest w drodze.',
    reset_sent: 'Sprawdź pocztę',
    save_password: 'Zapisz hasło',
    send_link: 'Wyślij link',
    to_account: 'Przejdź do konta',
    too_old: 'Ta strona była otwarta zbyt długo lub w innej przeglądarce. Spróbuj jeszcze raz.',
    unreachable: 'Usługa nie odpowiedziała. Poczekaj chwilę i wyślij ponownie: zostanie przyjęte tylko raz.',
    verify: 'Tak, należy do mnie',
    verify_heading: 'Czy to Twój adres?',
    verify_used_lead:
      'Został już użyty albo jest zbyt stary. Na stronie konta jest przycisk, który wysyła nowy.',
  },
};
