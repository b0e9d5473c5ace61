/** Ce qui est dit d’un fichier de destinataires, avant tout envoi. */
import { grouped, someInFrench as some } from './counts.ts';
import type { Words } from './english.ts';

export const frenchFile: Words['file'] = {
  reasons: {
    empty: 'Le numéro de téléphone est vide.',
    not_a_number: 'Ce n’est pas un numéro de téléphone : il contient des lettres ou des signes, ou aucun chiffre.',
    too_short: 'Le numéro a trop peu de chiffres pour son pays.',
    too_long: 'Le numéro a trop de chiffres pour son pays.',
    wrong_length: 'Aucun numéro de son pays n’a ce nombre de chiffres.',
    unknown_country: 'Aucun pays n’a l’indicatif par lequel ce numéro commence.',
    no_country: 'Le numéro n’a pas d’indicatif, et aucun pays par défaut n’est donné.',
    not_in_use: 'La longueur est bonne, mais aucun opérateur du pays n’utilise de numéros qui commencent ainsi.',
    not_mobile: 'C’est un numéro fixe ou spécial ; il ne peut pas recevoir de SMS.',
    several_numbers: 'La cellule contient plusieurs numéros ; gardez-en un par ligne.',
    old_numbering: 'Le numéro date d’avant l’ajout de deux chiffres (Côte d’Ivoire 2021, Bénin 2024).',
    spreadsheet_damage:
      'Le tableur a abîmé ce numéro (2,21771E+11, une date, ou un zéro perdu au début) ; mettez la colonne au format texte et ressaisissez-le.',
    duplicate: 'Le même numéro est déjà plus haut dans ce fichier.',
    already_in_campaign: 'Le numéro est déjà dans la campagne.',
    opted_out: 'La personne a demandé à ne plus recevoir de SMS.',
    empty_variable: 'Une valeur dont le texte a besoin est vide sur cette ligne.',
    spreadsheet_error:
      'Le numéro, ou une valeur dont le texte a besoin, est une erreur du tableur : #N/A, ou une formule sans résultat.',
    unsendable_value:
      'Une valeur dont le texte a besoin contient des caractères de contrôle, ou une moitié de caractère.',
    no_value: 'Une valeur dont le texte a besoin est un signe seul, ou un mot de programme pour « rien », comme N/A.',
    damaged_value:
      'Un programme a abîmé une valeur dont le texte a besoin : lettres fausses, HTML, codes de saut de ligne.',
    empty_text: 'Avec les valeurs de cette ligne, rien du texte n’est visible.',
    hidden_row: 'La ligne est masquée dans le tableur, à la main ou par un filtre.',
    text_too_long: 'Avec les valeurs de cette ligne, le texte est trop long pour être envoyé.',
    extra_cells:
      'La ligne a plus de cellules que l’en-tête ; un séparateur dans une valeur demande des guillemets autour d’elle.',
    unreadable_row: 'La ligne est illisible : il faut un objet JSON avec seulement des textes et des nombres.',
  },
  problems: {
    empty_file: 'Le fichier est vide.',
    no_rows: 'Le fichier a un en-tête et aucune ligne en dessous.',
    old_workbook:
      'C’est un classeur de l’ancien format (.xls), ou protégé par un mot de passe. Enregistrez-le en .xlsx, sans mot de passe.',
    locked_workbook: 'Le classeur est protégé par un mot de passe. Enregistrez-le sans mot de passe.',
    binary_workbook: 'C’est un classeur binaire (.xlsb). Enregistrez-le en .xlsx.',
    numbers_file: 'C’est un document Apple Numbers. Choisissez Fichier, Exporter vers, Excel.',
    archive: 'C’est une archive (.zip, .gz), pas un tableur. Décompressez-la et envoyez le fichier qui est dedans.',
    web_page:
      'C’est une page web ou du XML, quel que soit son nom. Ouvrez-le dans un tableur et enregistrez-le en .xlsx.',
    pdf_file: 'C’est un PDF. Demandez le tableur ou le fichier CSV dont il vient.',
    vcard_file: 'Ce sont des contacts de téléphone (vCard). Exportez-les plutôt en CSV.',
    json_array:
      'C’est un tableau JSON. Envoyez des lignes JSON : un objet par ligne, sans crochets ni virgules autour.',
    broken_workbook: 'Le classeur est endommagé. Ouvrez-le dans un tableur et enregistrez-le de nouveau en .xlsx.',
    workbook_too_large:
      'Le classeur est trop gros. Supprimez des feuilles, des images et des mises en forme, ou enregistrez la liste en CSV.',
    no_such_sheet: 'Le classeur n’a pas de feuille de ce nom.',
    too_many_rows:
      'La feuille annonce plus de lignes qu’une feuille ne peut en avoir. Enregistrez-la de nouveau en .xlsx.',
    not_text: 'Le fichier contient des octets qu’aucun texte ne contient.',
    mixed_encoding:
      'Des parties du fichier ont un autre encodage que le reste. Enregistrez-le de nouveau en « CSV UTF-8 ».',
    unclear_encoding:
      'Le fichier est lisible dans plusieurs encodages. Enregistrez-le de nouveau en « CSV UTF-8 », ou indiquez son encodage (--encoding, charset).',
    no_header:
      'La première ligne ressemble à des données, pas à des noms de colonnes. Ajoutez une ligne comme : to;nom.',
    no_phone_column: 'Aucune colonne ne contient les numéros. Appelez-la « to », ou indiquez-la (--phone-column).',
    several_phone_columns:
      'Plusieurs colonnes peuvent contenir les numéros. Indiquez la bonne (--phone-column), ou appelez-la « to ».',
    missing_column: 'Le texte utilise une variable qui n’est pas une colonne du fichier.',
    duplicate_column: 'Deux colonnes ont le même nom et le texte l’utilise.',
    too_many_columns: 'Le fichier a plus de 100 colonnes. Supprimez celles que le texte n’utilise pas.',
    row_too_long: 'Une ligne dépasse 64 ko ; le plus souvent, un guillemet a été ouvert et jamais fermé.',
    unclosed_quote: 'Un guillemet a été ouvert et jamais fermé avant la fin du fichier.',
    unreadable_csv:
      'Une ligne ne peut pas être lue comme CSV ; le plus souvent, du texte suit un guillemet fermant. Mettez des guillemets autour de toute la cellule, et doublez ceux qui sont à l’intérieur.',
  },
  formats: { csv: 'CSV', ndjson: 'lignes JSON', xlsx: 'classeur (.xlsx)', ods: 'classeur (.ods)' },
  why: { first: 'parmi les premiers', longest: 'le plus long', dearest: 'le plus cher', asked: 'demandé' },
  rows: (count) => some(count, 'ligne', 'lignes'),
  recipients: (count) => some(count, 'destinataire', 'destinataires'),
  segments: (count) => some(count, 'segment', 'segments'),
  skipped: (count) => some(count, 'écartée', 'écartées'),
  blank: (count) => ` (et ${some(count, 'vide', 'vides')})`,
  headline: (rows, recipients, skipped) => `${rows} : ${recipients}, ${skipped}`,
  readAs: (format, how) => `lu comme ${format}${how}`,
  separator: (sign) => `, séparateur ${sign}`,
  tab: 'tabulation',
  sheet: (name) => `, feuille ${name}`,
  quoted: (text) => `« ${text} »`,
  truncatedRows: (count) =>
    `${some(count, 'ligne a', 'lignes ont')} plus de texte à côté du numéro que les rapports n’en rendent : 1 000 caractères sont gardés`,
  titleRows: (count) => `${some(count, 'ligne', 'lignes')} au-dessus de l’en-tête : pas de données`,
  otherSheets: (names) => `non lu : ${names} ; --sheet NOM lit une autre feuille`,
  merged: (count) =>
    `${some(count, 'cellule fusionnée', 'cellules fusionnées')} sur plusieurs lignes : seule la première a la valeur`,
  skippedTitle: 'Écartées',
  row: (row) => `ligne ${row}`,
  line: (row, what) => `ligne ${row} : ${what}`,
  nothing: '(vide)',
  renewed: (count) => `Anciens numéros mis à jour : ${grouped(count)}`,
  countries: 'Pays',
  noPrice: ', prix inconnu',
  about: (xof) => `, environ ${xof}`,
  preview: 'Tels qu’ils partiraient',
  previewed: (row, to, why, size) => `ligne ${row} à ${to}, ${why} : ${size}`,
  size: (characters, encoding, segments) => `${characters} caractères en ${encoding}, ${segments}`,
  estimate: (segments, price) => `Estimation : ${segments}${price}`,
  texts: (count, _one, segments) => `${count}  SMS de ${segments}`,
  unpriced: (countries) => `non compté, faute de prix : ${countries}`,
  long: (count) => some(count, 'SMS très long', 'SMS très longs'),
  stopLink: (characters) => `le lien de {{stop}} est compté pour ${characters} caractères`,
  stopGuess: ', une estimation : PUBLIC_URL donne sa vraie longueur',
  costly: (count) =>
    `${grouped(count)} SMS avec un caractère qui raccourcit les segments (70 caractères au lieu de 160) :`,
  inText: 'dans votre texte',
  inRows: 'dans les lignes',
  costlyLine: (character, point, place, advice) => `« ${character} » ${point}, ${place} : ${advice}`,
  noReplacement: 'pas de remplacement',
  leaveOut: 'à enlever',
  write: (text) => `écrire « ${text} »`,
  savesNothing: 'les remplacer ne ferait rien gagner',
  saves: (segments, money) => `les remplacer économise ${segments}${money}`,
  details: {
    same_as_row: 'même numéro que la ligne {row}',
    probably_today: 'aujourd’hui probablement {number}',
    zero_gone: 'le zéro du début a disparu : {number}',
    segments: '{segments} segments',
    no_json: 'ce n’est pas du JSON',
    no_object: 'ce n’est pas un objet',
    too_deep: 'trop de niveaux imbriqués',
    name_twice: 'un nom y est deux fois, ou un nombre n’est pas écrit en chiffres simples',
    not_plain: '« {name} » n’est pas une valeur simple',
    other_sheets: 'lue : {sheet} ; autres feuilles : {others}',
    sheets: 'feuilles : {sheets}',
    no_sheets: 'il n’a aucune feuille',
    sheet_missing: 'la feuille « {sheet} » manque',
    part_missing: 'il n’a pas de {part}',
    part_changed: '{part} n’est plus tel qu’il a été écrit',
    many_parts: 'il a {parts} parties',
    text_missing: 'il n’a pas de texte {number}',
    repeated: 'quelque chose y est répété {times} fois',
    no_xml: 'une de ses parties n’est pas du XML',
    cell_place: 'une cellule est placée en « {place} », qui n’est pas une position dans une feuille',
    entities: 'il déclare des entités',
    endless: 'une de ses parties ne finit jamais',
    zero_byte: 'un octet nul après « {before} »',
    half_character: 'la moitié d’un caractère à la fin',
    value: '« {value} »',
    value_meant: '« {value} », probablement « {meant} »',
    samples: 'lu comme {samples}',
    columns: 'colonnes : {columns}',
    column: '{column}',
    variable: '{variable} ; colonnes : {columns}',
    price_country: '« {country} » n’est pas un pays (écrivez deux lettres majuscules)',
    price_form: '{country} : le prix d’un segment en F CFA, avec deux décimales au plus',
    price_none: 'le tableau est vide',
    price_object: 'il faut un objet avec un prix par pays',
  },
  decide: {
    title: 'À décider avant le départ',
    reasons: {
      no_country: (n) => some(n, 'numéro sans indicatif de pays', 'numéros sans indicatif de pays'),
      old_numbering: (n) =>
        some(n, 'numéro d’avant l’ajout de deux chiffres', 'numéros d’avant l’ajout de deux chiffres'),
      spreadsheet_damage: (n) => some(n, 'numéro abîmé par un tableur', 'numéros abîmés par un tableur'),
      several_numbers: (n) => some(n, 'cellule contient plusieurs numéros', 'cellules contiennent plusieurs numéros'),
      hidden_row: (n) => some(n, 'ligne masquée dans le tableur', 'lignes masquées dans le tableur'),
      empty_variable: (n) =>
        some(n, 'ligne sans une valeur dont le texte a besoin', 'lignes sans une valeur dont le texte a besoin'),
      spreadsheet_error: (n) =>
        some(n, 'ligne avec une erreur du tableur comme valeur', 'lignes avec une erreur du tableur comme valeur'),
      unsendable_value: (n) =>
        some(
          n,
          'ligne avec une valeur qu’aucun SMS ne transporte',
          'lignes avec une valeur qu’aucun SMS ne transporte',
        ),
      no_value: (n) =>
        some(n, 'ligne avec un mot pour « rien » comme valeur', 'lignes avec un mot pour « rien » comme valeur'),
      damaged_value: (n) =>
        some(n, 'ligne avec une valeur abîmée par un programme', 'lignes avec une valeur abîmée par un programme'),
      empty_text: (n) => some(n, 'ligne recevrait un SMS vide', 'lignes recevraient un SMS vide'),
      extra_cells: (n) =>
        some(n, 'ligne avec plus de cellules que l’en-tête', 'lignes avec plus de cellules que l’en-tête'),
      unreadable_row: (n) => some(n, 'ligne illisible', 'lignes illisibles'),
      text_too_long: (n) => some(n, 'SMS trop long pour être envoyé', 'SMS trop longs pour être envoyés'),
    },
    takesIn: {
      no_country: 'les lit comme numéros de ce pays',
      old_numbering: 'les met à jour, et montre chacun avant et après',
      hidden_row: 'les prend comme les autres',
      no_value: 'envoie les valeurs telles quelles',
      damaged_value: 'envoie les valeurs telles quelles',
    },
    leaves: 'les laisse de côté',
    leavesOrMend: 'les laisse de côté ; ou corrigez le fichier',
    inText: {
      not_a_variable: (written, meant = '') => `${written} n’est pas une variable ; ${meant} en serait une`,
      touched_link: (written, meant = '') =>
        `Un téléphone peut ajouter au lien ce qui le touche : ${written} ; écrivez ${meant}`,
      damaged_text: (written, meant) =>
        meant === undefined
          ? `Des lettres ont été perdues à ${written} ; ressaisissez le texte`
          : `${written} est la trace d’un programme ; ${meant === '' ? 'supprimez-la' : `probablement ${meant}`}`,
    },
    asWritten: 'c’est voulu ainsi ; ou corrigez le texte',
    atOnce: (reasons) => `Pour les laisser toutes de côté : --leave-out ${reasons}`,
  },
  cheaper: (segments, price) => `${segments} segments de moins${price} : --replace-costly`,
  nobody: 'Personne ne recevrait de SMS.',
  rowsAreIn: (count, file) => `Les ${count} lignes écartées sont dans ${file}`,
  allSkipped: 'Toutes les lignes écartées, pour un tableur : --csv FICHIER',
  unusable: (file) => `${file} est inutilisable en l’état.`,
  checkAgain: 'Corrigez le fichier et vérifiez-le de nouveau : relais campaign check FICHIER',
};
