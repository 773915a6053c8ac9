// Words in dates, in the languages of the sources: months, weekdays and words to ignore.

const MONTH_NAMES = [
  "january januar janner janvier januari janeiro enero gennaio jan janv ene gen",
  "february februar feber fevrier februari fevereiro febrero febbraio feb fevr fev",
  "march marz maerz mars marzo maart marco mar mrz mrt",
  "april avril abril aprile apr avr abr",
  "may mai mayo maggio mei maj maio mag",
  "june juni juin junio giugno junho jun giu",
  "july juli juillet julio luglio julho jul juil lug",
  "august aout agosto augustus augusti aug aou ago",
  "september septembre septiembre setiembre settembre setembro sep sept set",
  "october oktober octobre octubre ottobre outubro oct okt ott out",
  "november novembre noviembre novembro nov",
  "december dezember decembre diciembre dicembre dezembro dec dez dic",
];

const WEEKDAY_NAMES = [
  "sunday sun sonntag so dimanche dim domingo dom domenica zondag zo sondag son",
  "monday mon montag mo lundi lun lunes lunedi maandag ma mandag segunda",
  "tuesday tue tues dienstag di mardi mar martes martedi dinsdag tirsdag tisdag terca",
  "wednesday wed mittwoch mi mercredi mer miercoles mie mercoledi woensdag wo onsdag quarta",
  "thursday thu thur thurs donnerstag do jeudi jeu jueves jue giovedi gio donderdag torsdag quinta",
  "friday fri freitag fr vendredi ven viernes vie venerdi vrijdag vr fredag sexta",
  "saturday sat samstag sonnabend sa samedi sam sabado sab sabato zaterdag za lordag",
];

const FILLERS =
  "at a um uhr on of the le la les las los el den der dem am il lo de del du di da do ore kl klo klokken om uur h hrs hr t feira";

/** Months (1 to 12) by their names in lower case without accents. */
export const MONTHS: ReadonlyMap<string, number> = byName(MONTH_NAMES, 1);

/** Weekdays (0 is Sunday) by their names in lower case without accents. */
export const WEEKDAYS: ReadonlyMap<string, number> = byName(WEEKDAY_NAMES, 0);

/** Words that do not affect the time, in lower case without accents. */
export const IGNORED_WORDS: ReadonlySet<string> = new Set(FILLERS.split(" "));

function byName(lines: readonly string[], first: number): Map<string, number> {
  return new Map(lines.flatMap((line, index) => line.split(" ").map((name) => [name, first + index])));
}
