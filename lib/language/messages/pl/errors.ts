export const errorsPl = {
  errors: {
    another_browser:
      'Jest niepełny lub został otwarty w innej przeglądarce. Wróć do aplikacji i zacznij od nowa.',
    cannot_show: 'Nie możemy teraz pokazać tej strony. Odczekaj chwilę i wczytaj ją ponownie.',
    elsewhere_or_late:
      'Rozpoczęto to w innej przeglądarce lub ponad dziesięć minut temu. Wróć do aplikacji i zacznij od nowa.',
    expired: 'To logowanie wygasło',
    expired_lead: 'Minęło ponad dziesięć minut. Wróć do aplikacji i zacznij od nowa.',
    form: 'Ten formularz nie jest już ważny',
    form_lead:
      'Wysłano go z innej strony lub przeglądarki albo w międzyczasie zalogował się ktoś inny. Wróć do aplikacji i zacznij od nowa.',
    link: 'Ten link logowania nie działa',
    mistyped: 'Adres zawiera literówkę albo strona już nie istnieje.',
    moment: 'Chwileczkę',
    no_cookies:
      'Otwarto go w innej przeglądarce albo ta nie zachowuje plików cookie tej witryny. Zezwól na nie, wróć do aplikacji i zacznij od nowa.',
    no_page: 'Nie znaleziono strony',
    no_return: 'Link nie wskazuje, dokąd wrócić. Powiadom osobę, od której go masz.',
    nothing_here: 'Ten adres nie istnieje. Sprawdź link lub powiadom osobę, od której go masz.',
    not_available: 'Chwilowo niedostępne',
    not_opened_so: 'Nie można tego otworzyć w ten sposób. Wróć do aplikacji i zacznij od nowa.',
    pushed_request:
      'Link tego logowania został już użyty, jest zbyt stary lub został zmieniony. Wróć do aplikacji i zacznij od nowa.',
    service_unavailable: 'Usługa jest teraz niedostępna. Spróbuj ponownie za chwilę.',
    sign_out_link: 'Ten link wylogowania nie działa',
    sign_out_link_lead: 'Nikt nie został wylogowany. Wróć do aplikacji i spróbuj ponownie.',
    slow_lead:
      'Przeglądarka zbyt długo wysyłała te dane, dlatego nie zostały odczytane. Wróć i wyślij je jeszcze raz.',
    started_elsewhere: 'Ten adres jest krokiem logowania rozpoczętego gdzie indziej.',
    started_elsewhere_or_late:
      'To logowanie rozpoczęto gdzie indziej lub zbyt dawno temu. Wróć do aplikacji i zacznij od nowa.',
    too_much: 'Przeglądarka wysłała zbyt dużo danych',
    too_much_lead:
      'Zwykle przyczyną są pliki cookie zapisane przez inne witryny w tej domenie. Usuń pliki cookie tej domeny w ustawieniach przeglądarki, a potem wróć do aplikacji i zacznij od nowa.',
    two_applications: 'Link podaje swoją aplikację więcej niż raz.',
    two_returns: 'Link podaje więcej niż jeden adres powrotu.',
    unknown_application: 'Aplikacja, która Cię tu skierowała, jest nieznana lub nie jest już używana.',
    unnamed_application: 'Link nie wskazuje, z której aplikacji pochodzi. Powiadom osobę, od której go masz.',
    unreadable: 'Nie można odczytać tego adresu',
    unreadable_lead: 'Zawiera znak niedozwolony w tekście. Sprawdź go lub zacznij od pierwszej strony.',
    unregistered_return: 'Link prowadziłby do adresu, który nie jest zarejestrowany dla tej aplikacji.',
    used_step: 'To część logowania, która została już użyta. Możesz kontynuować stąd.',
    wrong: 'Coś poszło nie tak',
    wrong_lead: 'Coś poszło nie tak po naszej stronie. Podaj operatorowi identyfikator żądania.',
  },
  agent: {
    unreachable:
      'W tej chwili nie można sprawdzić tożsamości aplikacji, która Cię tu skierowała. Spróbuj ponownie za chwilę.',
    asks_for: 'Prosi o',
    application: 'Aplikacja',
    blocked: 'Ta aplikacja jest zablokowana',
    blocked_lead: 'Osoby prowadzące tę usługę ją zablokowały. Nic jej nie udostępniono.',
    from: 'Pochodzenie',
    full: 'Wiele aplikacji czeka już na decyzję. Spróbuj ponownie, gdy część zostanie rozpatrzona.',
    full_day: 'Jak na dziś Twoich próśb o aplikacje jest już za dużo. Spróbuj ponownie jutro.',
    full_host:
      'Kilka aplikacji z tego samego hosta czeka już na decyzję. Spróbuj ponownie, gdy część zostanie rozpatrzona.',
    full_person:
      'Kilka Twoich próśb o aplikacje nie zostało jeszcze rozpatrzonych. Najpierw poczekaj na te decyzje.',
    improper:
      'Aplikacja, która Cię tu skierowała, nieprawidłowo podaje swoją tożsamość. Powiadom jej twórców.',
    look_again: 'Sprawdź ponownie',
    many: 'Zbyt wiele próśb czeka',
    not_approved: 'Ta aplikacja nie została zatwierdzona',
    not_approved_lead:
      'Osoby prowadzące tę usługę odmówiły zatwierdzenia. Zapytaj je, jeśli uważasz, że aplikacja powinna być tu używana.',
    not_for_you: 'Nie możesz tu używać tej aplikacji',
    not_for_you_lead:
      '{client} może używać {api} dla określonych osób, a Twoje konto do nich nie należy. Nic nie zostało udostępnione. Jeśli potrzebujesz dostępu, zapytaj osoby prowadzące {api}; jeśli właśnie Ci go przyznały, zaloguj się ponownie.',
    not_listed: 'Tej aplikacji nie można tu używać',
    not_listed_lead:
      'Tylko aplikacje z określonych hostów mogą prosić o dostęp do tej usługi, a ta do nich nie należy. Nikogo nie pytano i nic nie udostępniono.',
    returns_to: 'Wraca do',
    revoked: 'Tej aplikacji nie można już używać',
    revoked_lead:
      'Jej zatwierdzenie zostało unieważnione. Jeśli jej potrzebujesz, zapytaj osoby prowadzące tę usługę.',
    sign_in_again: 'Zaloguj się ponownie',
    suspended: 'Ta aplikacja jest wstrzymana',
    suspended_lead:
      'Na razie nie można jej tu używać. Spróbuj później lub zapytaj osoby prowadzące tę usługę.',
    waiting: 'Oczekiwanie na zatwierdzenie',
    waiting_lead:
      '{client} prosi o dostęp do {api}, a jedna z prowadzących je osób musi to najpierw zatwierdzić. Zostały powiadomione. Nie zamykaj tej strony albo zacznij później ponownie z aplikacji: po ich decyzji możesz przejść dalej.',
  },
};
