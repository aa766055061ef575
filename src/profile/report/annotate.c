/* SPDX-License-Identifier: MIT
 *
 * The annotated source of functions, for people: each line with its share of the time, and below it its instructions.
 * Inlined code belongs to the line that calls it. If the user asks for an inlined function, its own lines are shown.
 * Without source, or without line information, only the instructions are shown. A screen omits cold parts: lines and
 * instructions below the least share of the function, unless they are near hot ones, and the instructions of cold
 * lines. */
#include "profile/report/annotation.h"

#include "common/base/buffer.h"
#include "common/text/text.h"
#include "profile/profile/profile.h"
#include "profile/profile/writer.h"
#include "profile/report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    NUMBERS = 36,    /* columns before the text of a row */
    LEAST = 20,      /* width of the text, however narrow the terminal is */
    CONTEXT = 3,     /* cold rows shown next to a hot one */
    HOT = 10,        /* a row with this percentage of the function, or more, has a mark */
    WARM = 3,        /* smaller mark for rows with this percentage or more */
    MOST_OTHERS = 5, /* maximum of other matching functions that are named */
    TAB = 8
};

struct sheet {
    const struct profile *profile;
    const struct report_options *options;
    const struct code *code;
    struct line_times times;
    struct line_time function; /* time of all parts of the function */
    struct buffer out, text;
    uint64_t whole_ns;
    double least_ns; /* rows below this are cold */
    size_t left_out; /* rows */
    FILE *stream;
    int result;
};

/* Spots of one file. */
struct section {
    uint32_t file;
    size_t first, count;
    uint64_t total_ns;
};

static bool is_hot(const struct sheet *sheet, const struct line_time *time)
{
    return sheet->least_ns <= 0 || (time->total_ns && (double)time->total_ns >= sheet->least_ns);
}

/* Returns 0, 1 or 2, by HEAT's share of the function's time. */
static unsigned degree(const struct sheet *sheet, const struct line_time *time)
{
    uint64_t function_ns = sheet->function.total_ns;
    double percent = function_ns ? 100 * (double)time->total_ns / (double)function_ns : 0;
    return percent >= HOT ? 2 : percent >= WARM ? 1 : 0;
}

static const char *color_of(const struct sheet *sheet, const struct line_time *time)
{
    static const char *const colors[] = {"", "\033[31m", "\033[1;31m"};
    return sheet->options->color && time ? colors[degree(sheet, time)] : "";
}

static void put_titles(struct sheet *sheet)
{
    buffer_puts(&sheet->out, "samples    self   total   of it\n");
}

static void put_numbers(struct sheet *sheet, const struct line_time *time)
{
    static const char *const marks[] = {"    ", " *  ", " ** "};
    struct buffer *out = &sheet->out;
    if (!time || (!time->total_ns && !time->samples)) {
        text_spaces(out, NUMBERS);
        return;
    }
    buffer_printf(out, "%7" PRIu64 " ", time->samples);
    text_share(out, time->self_ns, sheet->whole_ns);
    text_share(out, time->total_ns, sheet->whole_ns);
    text_share(out, time->total_ns, sheet->function.total_ns);
    buffer_puts(out, marks[degree(sheet, time)]);
}

/* Ends the row that began with the numbers of HEAT with sheet->text, which is untrusted, cut to the remaining width. */
static void end_row(struct sheet *sheet, const struct line_time *time)
{
    struct buffer clean = {0};
    unsigned width = sheet->options->width, left = width > NUMBERS + LEAST ? width - NUMBERS : LEAST;
    text_clean(&clean, sheet->text.bytes ? sheet->text.bytes : "", sheet->options->utf8);
    text_cut_end(&sheet->out, clean.bytes ? clean.bytes : "", width ? left : UINT32_MAX, 0, sheet->options->utf8);
    buffer_puts(&sheet->out, *color_of(sheet, time) ? "\033[0m\n" : "\n");
    sheet->out.failed |= clean.failed || sheet->text.failed;
    buffer_fini(&clean);
    if (!sheet->result)
        sheet->result = text_write_full(&sheet->out, sheet->stream);
}

/* Begins a row with the numbers of HEAT, or without numbers if it is NULL. */
static void begin_row(struct sheet *sheet, const struct line_time *time)
{
    sheet->text.length = 0;
    buffer_puts(&sheet->out, color_of(sheet, time));
    put_numbers(sheet, time);
}

static void put_gap(struct sheet *sheet, size_t count, const char *what)
{
    if (!count)
        return;
    sheet->left_out += count;
    begin_row(sheet, NULL);
    buffer_printf(&sheet->text, "      ... %zu %s%s", count, what, text_plural(count, "", "s"));
    end_row(sheet, NULL);
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void put_instruction(struct sheet *sheet, uint32_t number)
{
    const struct code_instruction *instruction = &sheet->code->items[number];
    const struct line_time *time = &sheet->times.instructions[number];
    begin_row(sheet, time);
    buffer_printf(&sheet->text, "      %8" PRIx64 "  %s", instruction->address,
                  instruction->text ? instruction->text : "");
    if (instruction->inner) {
        buffer_printf(&sheet->text, "  ; %s", instruction->inner);
        if (instruction->inner_file != CODE_NONE)
            buffer_printf(&sheet->text, " %s:%u", last_part(sheet->code->files.items[instruction->inner_file].path),
                          (unsigned)instruction->inner_line);
    }
    end_row(sheet, time);
}

/* Puts the instructions of SPOT that are hot, or near hot ones. */
static void put_instructions(struct sheet *sheet, const struct line_spot *spot)
{
    const uint32_t *order = &sheet->times.order[spot->first];
    size_t skipped = 0, hot = 0;
    for (size_t i = 0; i < spot->count; i++) {
        while (hot < spot->count && (hot + CONTEXT < i || !is_hot(sheet, &sheet->times.instructions[order[hot]])))
            hot++;
        if (hot > i + CONTEXT || hot == spot->count) {
            skipped++;
            continue;
        }
        put_gap(sheet, skipped, "instruction");
        skipped = 0;
        put_instruction(sheet, order[i]);
    }
    put_gap(sheet, skipped, "instruction");
}

/* Puts line NUMBER with TEXT (NULL: unknown). SPOT: the code made from it, or NULL. */
static void put_line(struct sheet *sheet, uint32_t number, const char *text, const struct line_spot *spot)
{
    begin_row(sheet, spot ? &spot->time : NULL);
    if (number)
        buffer_printf(&sheet->text, "%5u  ", (unsigned)number);
    else
        buffer_puts(&sheet->text, "(no line)");
    for (unsigned column = 0; text && *text; text++) {
        unsigned spaces = *text == '\t' ? TAB - column % TAB : 0;
        text_spaces(&sheet->text, spaces);
        buffer_append(&sheet->text, text, !spaces);
        column += spaces ? spaces : ((unsigned char)*text & 0xc0) != 0x80;
    }
    end_row(sheet, spot ? &spot->time : NULL);
    if (spot && sheet->code->items[sheet->times.order[spot->first]].text) {
        if (is_hot(sheet, &spot->time))
            put_instructions(sheet, spot);
        else
            sheet->left_out += spot->count;
    }
}

/* Returns the next line after NUMBER to look at: any line if the source is known, otherwise only lines with code. */
static uint64_t next_line(const struct source *source, uint64_t number, const struct line_spot *next,
                          const struct line_spot *end)
{
    return number && number < source->line_count ? number + 1 : next < end ? next->line : UINT64_MAX;
}

static void put_lines(struct sheet *sheet, const struct section *section, const struct source *source)
{
    const struct line_spot *spot = &sheet->times.spots[section->first], *end = spot + section->count, *hot = spot;
    size_t skipped = 0;
    uint64_t around = sheet->code->is_script && source->line_count && spot->line ? CONTEXT : 0;
    uint64_t first = spot->line > around ? spot->line - around : around ? 1 : spot->line;
    for (uint64_t line = first; line <= end[-1].line + around; line = next_line(source, line, spot, end)) {
        const struct line_spot *own = spot < end && spot->line == line ? spot++ : NULL;
        while (hot < end && ((uint64_t)hot->line + CONTEXT < line || !is_hot(sheet, &hot->time)))
            hot++;
        if (sheet->least_ns > 0 && (hot == end || hot->line > line + CONTEXT) &&
            own != &sheet->times.spots[section->first]) {
            skipped++;
            sheet->left_out += own ? own->count : 0;
            continue;
        }
        put_gap(sheet, skipped, "line");
        skipped = 0;
        put_line(sheet, (uint32_t)line, source_line(source, (uint32_t)line), own);
    }
    put_gap(sheet, skipped, "line");
}

static void put_clean(struct sheet *sheet, const char *text)
{
    text_clean(&sheet->out, text, sheet->options->utf8);
}

/* Names the file that follows, and says if its lines may be wrong. */
static void put_file(struct sheet *sheet, const struct code_file *file)
{
    put_clean(sheet, file->path);
    if (file->failed)
        buffer_printf(&sheet->out, ": the source is not shown: %s",
                      file->failed == EINVAL ? "not a regular file" : strerror(file->failed));
    else if (file->newer)
        buffer_printf(&sheet->out, ": changed after the program was %s, so lines may have moved",
                      sheet->code->is_script ? "profiled" : "made");
    buffer_puts(&sheet->out, "\n");
}

static void put_section(struct sheet *sheet, const struct section *section)
{
    const struct code_file *file = section->file == CODE_NONE ? NULL : &sheet->code->files.items[section->file];
    buffer_puts(&sheet->out, "\n");
    if (file)
        put_file(sheet, file);
    put_titles(sheet);
    if (file)
        put_lines(sheet, section, &file->source);
    else
        for (size_t i = 0; i < section->count; i++)
            put_instructions(sheet, &sheet->times.spots[section->first + i]);
}

static int by_time(const void *one, const void *other)
{
    const struct section *a = one, *b = other;
    if (a->total_ns != b->total_ns)
        return a->total_ns > b->total_ns ? -1 : 1;
    return a->first < b->first ? -1 : 1;
}

/* Puts the spots file by file, beginning with the file that has the most time. */
static void put_sections(struct sheet *sheet)
{
    const struct line_times *times = &sheet->times;
    struct section *sections = calloc(times->spot_count + 1, sizeof *sections);
    size_t count = 0;
    sheet->out.failed |= !sections;
    for (size_t i = 0; sections && i < times->spot_count; i++) {
        if (!i || times->spots[i].file != times->spots[i - 1].file)
            sections[count++] = (struct section){.file = times->spots[i].file, .first = i};
        sections[count - 1].count++;
        sections[count - 1].total_ns += times->spots[i].time.total_ns;
    }
    if (count)
        qsort(sections, count, sizeof *sections, by_time);
    for (size_t i = 0; i < count; i++)
        put_section(sheet, &sections[i]);
    free(sections);
}

static void put_times(struct sheet *sheet, const struct line_time *time, const char *of)
{
    struct buffer *out = &sheet->out;
    buffer_puts(out, ": ");
    text_percent(out, time->self_ns, sheet->whole_ns);
    buffer_puts(out, " %");
    if (of) {
        buffer_puts(out, " of ");
        text_duration(out, sheet->whole_ns);
        buffer_puts(out, of);
    }
    buffer_puts(out, " in it, ");
    text_percent(out, time->total_ns, sheet->whole_ns);
    buffer_puts(out, " % including the functions it called\n");
}

static void put_head(struct sheet *sheet, const struct annotation_choice *choice, const struct annotation_part *part)
{
    struct buffer *out = &sheet->out;
    if (part->code.of_calls) {
        buffer_puts(out, "'");
        put_clean(sheet, sheet->options->annotation->pattern->text);
        buffer_puts(out, "', inlined in ");
    }
    put_clean(sheet, choice->name);
    buffer_puts(out, part->code.of_calls ? " of " : " in ");
    put_clean(sheet, sheet->profile->modules[part->code.module].name);
    put_times(sheet, &sheet->function, sheet->profile->quality.wall ? "" : " of CPU time");
    if (choice->inlined && !part->code.of_calls) {
        buffer_puts(out, "the matching code inlined there: ");
        text_percent(out, choice->total_ns, sheet->whole_ns);
        buffer_puts(out, " %\n");
    }
}

/* Puts notes on missing data. */
static void put_notes(struct sheet *sheet)
{
    struct buffer *out = &sheet->out;
    if (sheet->code->place) {
        buffer_puts(out, "read from ");
        put_clean(sheet, sheet->code->place);
        buffer_puts(out, "\n");
    }
    if (sheet->code->undone.text[0]) {
        buffer_puts(out, "no instructions: ");
        put_clean(sheet, sheet->code->undone.text);
        buffer_puts(out, "\n");
    }
    if (sheet->code->no_lines == ENOTSUP)
        buffer_puts(out, "no lines of the source: this ptprofil was built without libdw\n");
    else if (sheet->code->no_lines)
        buffer_puts(out, "no lines of the source: there is no debug information (gcc -g, or the package *-dbgsym)\n");
    if (sheet->code->unproven)
        buffer_puts(out, "the file has no build-id: ptprofil cannot check that it is the profiled one\n");
}

/* Puts a part, under its own name if the function has several. */
static void put_part(struct sheet *sheet, const struct annotation_part *part, bool named)
{
    sheet->code = &part->code;
    if (line_times_init(&sheet->times, sheet->profile, sheet->code) < 0) {
        sheet->out.failed = true;
        return;
    }
    const struct profile_function *function = &sheet->profile->functions[part->function];
    if (named) {
        buffer_puts(&sheet->out, "\n");
        put_clean(sheet, function->full_name ? function->full_name : function->name);
        put_times(sheet, &sheet->times.function, NULL);
    }
    put_notes(sheet);
    put_sections(sheet);
    line_times_fini(&sheet->times);
}

static void put_function(struct sheet *sheet, const struct annotation_choice *choice)
{
    const struct annotation *annotation = sheet->options->annotation;
    const struct annotation_part *part = &annotation->parts[choice->first], *first = NULL;
    sheet->function = line_times_sum(sheet->profile, annotation, choice);
    sheet->least_ns = sheet->options->min_branch / 100 * (double)sheet->function.total_ns;
    for (size_t i = 0; i < choice->count; i++, part++) {
        if (!part->shown)
            continue;
        if (!first)
            put_head(sheet, choice, first = part);
        put_part(sheet, part, choice->count > 1);
    }
}

/* Names other functions that match. */
static void put_others(struct sheet *sheet, const struct annotation *annotation)
{
    size_t shown = annotation->shown, count = annotation->count;
    if (count <= shown)
        return;
    buffer_puts(&sheet->out, "\nalso matches: ");
    for (size_t i = shown; i < count && i < shown + MOST_OTHERS; i++) {
        buffer_puts(&sheet->out, i > shown ? ", " : "");
        put_clean(sheet, annotation->items[i].name);
        buffer_puts(&sheet->out, " (");
        text_percent(&sheet->out, annotation->items[i].total_ns, sheet->whole_ns);
        buffer_puts(&sheet->out, " % total)");
    }
    if (count > shown + MOST_OTHERS)
        buffer_printf(&sheet->out, ", %zu more", count - shown - MOST_OTHERS);
    buffer_puts(&sheet->out, "; -n all shows them\n");
}

int report_annotate_write(const struct profile *profile, const struct report_options *options, FILE *stream)
{
    const struct annotation *annotation = options->annotation;
    if (!annotation || !annotation->shown)
        return -ENODATA;
    struct sheet sheet = {
        .profile = profile, .options = options, .whole_ns = profile_whole_ns(profile), .stream = stream};
    for (size_t i = 0; i < annotation->shown; i++) {
        buffer_puts(&sheet.out, i ? "\n" : "");
        put_function(&sheet, &annotation->items[i]);
    }
    if (sheet.left_out)
        buffer_printf(&sheet.out,
                      "\nlines and instructions below %g %% of the function are left out; --min=0 shows them\n",
                      options->min_branch);
    put_others(&sheet, annotation);
    buffer_fini(&sheet.text);
    return text_end(&sheet.out, stream, sheet.result);
}
