"""Sentences of four languages that tell a secret, each with its value, and sentences that tell none."""

from typing import Final


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]


TELLING: Final = {
    "en": _lines("""
        my passwd for the NAS is still admin123! | admin123
        pw: abcXYZ12 | abcXYZ12
        the alarm code is 7781 | 7781
        My login is ann / geheim99 | geheim99
        btw the wifi password at mom's place is Roses4ever | Roses4ever
        netflix pw Tiger2021 | Tiger2021
        my bank pin's 4931 | 4931
        The PIN for my Visa card is 0042 | 0042
        I changed the Gmail password to Winter#2025 | Winter#2025
        Hunter2hunter is my Steam password | Hunter2hunter
        the passcode of my phone is 204060 | 204060
        the unlock code of the tablet: 5523# | 5523
        password = Tr0ub4dor | Tr0ub4dor
        My new password for the router is now "correct horse battery" | correct horse battery
        Here is the password for the printer: lemonade | lemonade
        SIM pin 1199, puk 12345678 | 1199
        user: ann, password: blue-Sky-7 | blue-Sky-7
        I use Qwerty!23 as my password everywhere | Qwerty!23
        Remember that my laptop password is Moon!light | Moon!light
        the passphrase is xkcd936staple | xkcd936staple
        My password's hunter2 | hunter2
        The PIN's 4711 | 4711
        password for https://x.com: Cat99x | Cat99x
        wifi pass: Cat99x | Cat99x
        The code of the safe is 445566 | 445566
        access code 4521# | 4521#
        The security code is 4711 | 4711
        my pin for the bank is 2024 | 2024
        my password is 123456g | 123456g
        password: 12345 | 12345
        my pass is Hunter22x | Hunter22x
        login: ann:Cat99xy | Cat99xy
        credentials: ann Cat99xy | Cat99xy
        the PIN for my chip card is 1234 | 1234
        my old PIN was 4711 | 4711
        The password for http://10.0.0.1:8080 is Cat99x | Cat99x
        PIN: 4711 Visa | 4711
        my password was Cat99x until today | Cat99x
        user ann pass: Rain77bow | Rain77bow
        user: ann / pass: Rain77bow | Rain77bow
        bank card pin - 5518 | 5518
        PIN bank 5518 | 5518
        my login is ann - Rain77bow | Rain77bow
        my password is 123 now | 123
    """),
    "de": _lines("""
        mein Passwort fürs Netflix ist Sommer2024! | Sommer2024
        Das WLAN-Passwort lautet: blauerElefant99 | blauerElefant99
        Mein Kennwort für GMX: Regen#Bogen7 | Regen#Bogen7
        Die PIN meiner EC-Karte ist 8842 | 8842
        PIN der Sparkasse 5190 | 5190
        Der Alarmcode lautet 7781 | 7781
        Kannst du dir merken, dass meine PIN 4711 ist? | 4711
        Zugangsdaten: anna / Kuchen55 | Kuchen55
        Ich habe mein Amazon-Passwort auf Blume77 geändert | Blume77
        Sonnenschein88 ist mein Passwort für die Bahn | Sonnenschein88
        Das Passwort vom Router ist immer noch admin4you | admin4you
        Merk dir: Netflixpasswort Popcorn2023 | Popcorn2023
        Mein Passwort bei der Arbeit ist leider nur Dackel123 | Dackel123
        Die Geheimzahl meiner Kreditkarte lautet 6604 | 6604
        Unser Sicherheitscode ist jetzt 2580 | 2580
        PW WLAN: Gartenzwerg_12 | Gartenzwerg_12
        Mein Handy hat die PIN 7410 | 7410
        das passwort zum laptop heißt Mond!schein | Mond!schein
        Passwort = Hase4711 | Hase4711
        Das Kennwort lautet „Alle meine Entchen“ | Alle meine Entchen
        Mein Zugangsschlüssel lautet Hase4711x | Hase4711x
        Passwort für https://x.com: Cat99x | Cat99x
    """),
    "es": _lines("""
        La contraseña del wifi es gato1234 | gato1234
        el pin de mi tarjeta es 8842 | 8842
        Mi contraseña de Netflix es Verano2024! | Verano2024
        la clave del wifi: Perro_77 | Perro_77
        Cambié la contraseña del correo a Luna2025 | Luna2025
        El código de la alarma es 7781 | 7781
        mi pin es 4310 | 4310
        contraseña = Sol#Mar9 | Sol#Mar9
        El PIN del móvil sigue siendo 2580 | 2580
        Mi usuario es ana y mi contraseña Flores99 | Flores99
        Acceso: ana / Flores99 | Flores99
        la contraseña de mi portátil es girasol | girasol
        El pin es el 4452 | 4452
        Tomate55 es mi contraseña de Amazon | Tomate55
        apunta el pin del banco: 9027 | 9027
        la clave de mi cuenta es ahora Mar1posa | Mar1posa
        Te digo la contraseña: queso-azul-3 | queso-azul-3
        contraseña wifi casa Lluvia2020 | Lluvia2020
        El código de la caja fuerte es 445566 | 445566
        La contraseña nueva es “tres tristes tigres” | tres tristes tigres
        La clave: Perro_77 | Perro_77
    """),
    "ru": _lines("""
        Моя пин-код 5521 | 5521
        пароль от почты Kotik777 | Kotik777
        Мой пароль от Netflix: Leto2024! | Leto2024
        пароль: барсик | барсик
        Пин-код моей карты 8842 | 8842
        Мой пин 4310 | 4310
        у меня пароль везде Masha1990 | Masha1990
        Код сигнализации: 7781 | 7781
        Пароль от вайфая — sobaka99 | sobaka99
        я сменил пароль на Zima#2025 | Zima#2025
        Логин ann, пароль Cvetok55 | Cvetok55
        Логин: ann / Cvetok55 | Cvetok55
        Kotik777 — мой пароль от почты | Kotik777
        пин от симки 1199 | 1199
        Запомни пароль от роутера admin4you | admin4you
        Пароль теперь Luna2026 | Luna2026
        Код от сейфа 445566 | 445566
        Мой пароль это Дача1987 | Дача1987
        пароль для госуслуг: Мир!Труд | Мир!Труд
        пин-код карты Сбера: 3321 | 3321
        Пин карты 8842 | 8842
        пин к карте 8842 | 8842
        пин сбера 5518 | 5518
    """),
}
"""Sentences that tell a secret, by language. Each line contains a sentence, ` | ` and the secret in the sentence."""

UNTELLING: Final = {
    "en": _lines("""
        I forgot my password again
        my password manager is Bitwarden
        I changed my password on 2026-11-28
        The password must have 8 characters
        My password expires on the 5th
        I reset the PIN at the bank at 10:30
        the error code is 404
        The zip code of Ann's office is 10115
        Does anybody know the password for Windows11?
        My PIN was blocked 2 times
        I need a new passcode for my iPhone15
        the password is the name of my first dog
        password reset takes 24h
        My login is broken since Monday
        Pin this note: call Tom at 1430
        The promo code is SAVE20
        The dress code is black tie
        My boarding pass is in the wallet app
        Ann never tells anybody her password
        remember that my locker code is 4711
        I need a boarding pass for flight LH1234
        I lost my season pass A12B
        My ski pass is 77X21
        pass rate 95percent
        My phone country code is 0049
        Zip code for my phone contract is 10115
        Postal code 80331, phone 123
        promo code SAVE20 for phone case
        security code review: 2024
        The code review for access v2.3.1 is PR12345
        Error code 1603 during Access install
        The bowling pin weighs 1500 g
        Her PIN was changed in 2021
        PIN change 2024
        The pin on the map: 12345 Main Street
        I use pin 4711 on ESP32
        My login is always slow on Win11Pro
        My login was at 10:30pm with user anna1990
        My password is 12 characters long
        password: see note
        password: ask Bob
        Did you pass the exam in room B204 in 2023?
        My bus pass is valid until 12.2027
        Mountain pass road 1500 m above the sea
        The press pass is for Hall7 on Monday
        My Interrail pass number is EU55821
        We pass platform 1234 on the way
        The pin of the brooch is 1800 years old
        Please pin message 48211 in the group
        The PIN letter arrives on 5 December 2026
        I pin photos from 2019 on Pinterest
        My PIN was wrong 3 times at ATM 2207
        The source code is 1500 lines long
        Area code 415 is San Francisco
        The building code of 2018 requires 900 mm
        Code review at 1430 with Tom
        The safety code changed in 2019
        My car key is in drawer 1470
        The key point is slide 2024
        The piano piece is in the key of F sharp
        Key takeaways: Q4-2025 was good
        My login fails on Windows11 since 2025
        The login page is at https://example.org/login2024
        Last login: 2026-11-28 10:30
        Login takes 1500 ms on Android14
        My password is 8 letters and 2 digits
        password: see the wiki page SEC12345
    """),
    "de": _lines("""
        Ich habe mein Passwort vergessen
        Mein Passwort ist abgelaufen
        Der Passwortmanager ist Bitwarden
        Das Passwort muss mindestens 12 Zeichen haben
        Die PIN habe ich dreimal falsch eingegeben
        Am 28.11. muss ich das Passwort ändern
        Meine Postleitzahl ist 10115
        Ich suche das Kennwort für mein Windows11
        Die neue PIN kommt per Post bis 2027
        Mein Passwort ist zu kurz
        Das Passwort wurde 2024 geändert
        Der Fehlercode lautet 404
        Ohne Passwort komme ich nicht in Office365
        Der Türcode ist 1470
        Der Zugang ist ab 18:30 offen
        Mein Login geht seit gestern nicht
        Bitte das Passwort nicht weitersagen
        Das Passwort steht im Tresor
        Ich brauche den Rabattcode HERBST25
        Die PIN liegt bei Tom im Büro
        Der Schlüssel liegt bei Frau Maier, Zimmer B204
        Schlüssel Nummer 4711 fehlt
        Der Schlüssel zum Erfolg ist Geduld
        Der Zugangsschlüssel ist verloren seit 2024
        Das Passwort ist 8 Zeichen lang
        Die PIN wurde 2021 geändert
    """),
    "es": _lines("""
        Olvidé mi contraseña otra vez
        el pin del proyecto
        Mi gestor de contraseñas es Bitwarden
        La contraseña debe tener 8 caracteres
        Cambié la contraseña el 28/11/2026
        Mi contraseña es demasiado corta
        La clave del éxito es la paciencia
        El código postal de Ana es 28013
        No sé la contraseña de Windows11
        La contraseña caduca en 2027
        El pin está bloqueado desde ayer
        El acceso es por la calle Mayor
        El código de error es 404
        Necesito una contraseña nueva para el banco
        La puerta se abre a las 10:30
        El usuario es muy exigente
        Nadie conoce mi contraseña
        El código del portal es 1470
        Compré un pin de 3 euros
        La contraseña está en el cajón
        La clave de la reunión es Q4-2025
        La clave es practicar a diario
        El acceso es por la puerta B2034
        El pin de la solapa costó 1200 pesos
        La clave está debajo del felpudo
        La clave del proyecto es el equipo de 2024
        Su clave es Do mayor
        El acceso a la sala B2034 es libre
        El acceso cuesta 1500 euros al año
        Acceso cerrado por obras: calle Mayor 12
        La contraseña tiene que ser de 12 caracteres
    """),
    "ru": _lines("""
        Я опять забыл пароль
        Мой менеджер паролей Bitwarden
        Пароль должен иметь 8 символов
        Сменил пароль 28.11.2026
        Пароль истёк вчера
        Почтовый индекс Анны 101000
        Мне нужен пароль от Windows11
        Код ошибки 404
        Пин-код заблокирован 2 раза
        Пароль слишком короткий
        Никому не говори пароль
        Логин не работает с понедельника
        Пароль лежит в сейфе
        Код от домофона 4578
        Доступ открыт с 18:30
        Новый пароль придёт в 2027 году
        Дверь открывается в 10:30
        Пароль знает только Аня
        Код товара 88421
        Без пароля не войти в Office365
        Пароль должен быть длиной 12 символов
        Пароль для встречи пришлют в 2027 году
        Пин весит 1500 грамм
        Мой логин старый, с 2015 года
    """),
}
