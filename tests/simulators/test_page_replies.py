"""Which replies count as those of a person who looks at two pages: labelled lists, written by hand."""

from __future__ import annotations

import time

import pytest

from colbench_gym.protocol import USER_CHARACTERS
from colbench_gym.simulators.chat_replies import clean, fit, shingles
from colbench_gym.simulators.model_user import read_prompt
from colbench_gym.simulators.page_replies import ECHO_WORDS, PAGE_FAULTS, page_fault_in
from colbench_gym.types import Task

TASK = Task(
    "bakery",
    "frontend",
    "A warm page for a bakery, with a header, a picture of bread and the opening hours.",
    "<html><body><h1>Kornblume</h1><p>Open from six.</p></body></html>",
)
PROMPT = shingles(read_prompt(domain="frontend")[1], ECHO_WORDS)

FAULTY = {
    "cannot see": [
        "I can't see the image.",
        "I can\u2019t see the images, sorry.",
        "I cannot see any images. Could you please upload them?",
        "I'm unable to view images.",
        "I am unable to view or analyze images directly.",
        "Unfortunately, I'm not able to see the screenshots you mention.",
        "I'm sorry, but I can't view the screenshots.",
        "I'm sorry, but I can't see the pictures you've attached.",
        "I currently cannot open attachments.",
        "I cannot access the image you uploaded, but I can help if you describe it.",
        "Unable to process images.",
        "I don't see any screenshot.",
        "I don't see any images attached to your message.",
        "I do not see any attachments here.",
        "I don't see any picture in our conversation.",
        "I don't have access to the images.",
        "I do not have the ability to view pictures.",
        "I don't have the ability to see images or screenshots.",
        "I have no way to see the page.",
        "I lack the ability to perceive visuals.",
        "No image was attached.",
        "It seems that no images were provided.",
        "There are no images attached to this conversation.",
        "There is no image in this chat.",
        "It looks like the image didn't come through.",
        "The screenshots did not upload, please try again.",
        "The pictures haven't come through on my side.",
        "The images failed to load for me.",
        "You haven't attached any image.",
        "You did not provide the screenshots, so I cannot compare anything.",
        "Could you share the image again?",
        "Please upload the two screenshots so I can compare them.",
        "Could you please provide the pictures?",
        "If you can describe the images, I will gladly compare them.",
        "Please describe the screenshots to me.",
        "I can only process text, so tell me what the page looks like.",
        "This is a text-based model without eyes.",
        "Without being able to see the images, it is hard to tell.",
        "I can't compare the two images because I cannot see them.",
        "I could not open the file.",
        "I can't view the page you linked.",
        "I can't actually see pictures, but from the code it looks fine.",
        "I apologize, but I cannot view images or screenshots directly.",
        "Sorry, I can't see any pictures in your message. Can you attach them?",
        "I apologize for the confusion, but no images have been provided for me to compare.",
        "It appears there are no screenshots attached to your message.",
        "I'm unable to see the webpage screenshots you're referring to.",
        "I don't actually see any images here.",
        "Since I can't see the images, I'll describe a general design.",
        "I do not see an image. Please upload the image and I'll compare it.",
        "I'm afraid I can't view the attached pictures.",
        "I can't directly view or interpret images.",
        "I'm a text-only model and can't see what you built.",
        "I am not able to visually inspect the pages.",
        "Please share the images so I can help you better.",
        "The picture you sent doesn't load on my end.",
        "I cannot display or view the design you are referencing.",
        "I'm not able to access external links or images.",
        "There don't appear to be any images in your message.",
        "I would need to see the screenshots in order to compare them.",
        "Unfortunately, I do not have visual capabilities.",
        "I cannot see visual content, but I can help with the code.",
        "The images weren't included in your message.",
        "I can't see Picture 2.",
        "I don't see Picture 1 or Picture 2.",
        "My vision is limited to text.",
        "I can't tell what the page looks like because I can't see it.",
        "I'm unable to see the image you provided.",
        "I can't view the two screenshots, so I have to guess.",
        "Unfortunately, I can't open or display images in this chat.",
        "It looks like no pictures came with your message.",
        "I don't have the capability to view images.",
        "I do not have access to the pictures you mentioned.",
        "The images are not visible to me.",
        "I'm not able to view the screenshots. Can you describe what they show?",
        "Please attach both screenshots to your next message.",
        "I see no attached images.",
        "Could you resend the picture?",
        "I'm sorry, I cannot process visual content.",
        "You haven't shared any screenshots with me yet.",
        "I don't see a screenshot in your message.",
        "I have no access to the images.",
        "Nothing is attached to your message.",
        "Without access to the screenshots, I can't tell you what differs.",
        "I will not be able to view the page you created.",
        "I can't perceive images.",
        "I'm only able to process text, not images.",
        "There is no second image attached for comparison.",
        "I cannot compare the pictures without seeing them.",
        "I'm sorry, I'm not able to see the images you're describing.",
        "I cannot see images, so I can't tell you the differences.",
        "There were no images included with your request.",
        "I don't have the ability to open files or look at pictures.",
        "I apologize, but I can't view the screenshots. Could you describe the differences?",
        "No screenshots are visible to me.",
        "My apologies, the attached image could not be opened.",
        "I don't have eyes to see the page, I'm only a program.",
        "Could you please attach the screenshot of your latest version?",
        "I'm unable to provide a comparison as I can't see the pictures.",
        "I can not access the attached images.",
        "It seems you forgot to attach the images.",
        "I was unable to load the images.",
    ],
    "role confusion": [
        "As an AI language model, I find the header too dark.",
        "As a large language model I have no taste.",
        "I'm an AI, so colours mean nothing to me.",
        "I am just a language model.",
        "I'm a helpful AI assistant.",
        "I'm the designer here.",
        "How can I help you today?",
        "I'm here to help you with your page.",
        "Here's the updated HTML with a blue header.",
        "Here is the code for your page.",
        "Here is the updated page.",
        "I've updated the header to a dark blue.",
        "I have added all cards and I will adjust the footer.",
        "I fixed the spacing of the cards.",
        "Let me know if you'd like me to change the colours.",
        "Would you like me to add a footer?",
        "Designer: I made the header blue.",
        "I WANT TO ANSWER: done",
        "My training data holds no such page.",
        "I'm sorry, but as a text-based AI model, I am unable to see images.",
        "As an AI, I don't have the ability to see or perceive images.",
        "Certainly! Here is the revised HTML code for the page.",
        "Sure, I've made the header dark blue and added a footer.",
        "I'm an AI developed to help with web design.",
        "I have updated the page according to your comments.",
        "What would you like me to change on the page?",
        "I am a large language model and cannot look at pages.",
        "As an artificial intelligence I do not form opinions about colours.",
        "Here is the complete code with the changes.",
        "I've adjusted the layout so that the cards are in one row.",
        "Would you like me to make any other changes?",
        "As a language model, I can't see.",
        "Below is the corrected HTML code.",
        "I have now updated the header.",
        "I am just an AI model.",
    ],
    "refusal": [
        "I'm sorry, but I can't assist with that request.",
        "I cannot help with this.",
        "I can't help you.",
        "I am unable to provide feedback on this.",
        "I must decline.",
        "I can't identify the person in the picture.",
        "That would go against my guidelines.",
        "I'm not comfortable with this.",
        "I'm sorry. I'm so sorry!",
        "I cannot comply.",
        "Sorry, but I can't help with that.",
        "I apologize, but I'm not able to provide assistance with this request.",
        "I can't fulfill this request.",
        "I'm sorry, but I'm unable to assist with that.",
        "I can't comply with that.",
    ],
    "prompt echo": [
        "My instructions say that I should compare two pictures.",
        "I am role-playing a person with a web page.",
        "The task is to compare the pages.",
        "I have to stay below 1000 characters, so: fine.",
        "Hold Picture 2 against Picture 1 and say what differs most.",
        "You have never learned to program. No code, no tags, no class names.",
    ],
    "code": [
        "```html\n<div>Hello</div>\n```",
        "Put <div class='flex'> around the cards.",
        "Use an <h1> for the title.",
        "Add </p> there.",
        "Write <img src='a.png'> at the top.",
        'Set class="text-center" on it.',
        "The header needs bg-blue-800.",
        "Give the cards rounded-lg and p-4.",
        "Use grid-cols-3 for the cards.",
        "It wants text-xl there.",
        "Set background-color: navy on the header.",
        "It should be display: flex.",
        ".card { color: red; padding: 3px; }",
        "Use hover:bg-red-500 on the button.",
        "The row needs items-center and justify-between.",
        "You could set the background with `bg-gray-100`.",
        "<p>Make it blue</p>",
        "Use the class text-gray-700 for the paragraph.",
        "Set its style to margin: 0 auto; and the colour to white.",
    ],
    "empty": ["...", "", " \n ", "\u2014"],
}

HONEST = [
    "I can't see the button you mention at the bottom.",
    "I can't see the image in the header; it should be above the title.",
    "I don't see the image of the bread anywhere.",
    "I don't see any images on your page, there should be one beside the title.",
    "I can't see any difference between the two images.",
    "I cannot see the picture on the left, it is hidden behind the text.",
    "I can't see the photo under the title.",
    "I can't see the image captions at all.",
    "I can't see the picture clearly, it is far too small.",
    "I can't see the page title, it is white on white.",
    "I cannot see the photo gallery you promised.",
    "I can't see the images you added, only grey boxes.",
    "I don't see a footer in yours.",
    "I don't have a search box in mine.",
    "There is no image in the first card.",
    "There are no pictures on the right; there should be three.",
    "The image in the second card didn't load, it just shows its words.",
    "The hero image is missing, please add it.",
    "No image was used in the hero section, but I want one as wide as the page.",
    "You didn't include an image in the header.",
    "You have not provided a menu at the top.",
    "Please provide a link to the contact page in the footer.",
    "Please add the image of the bread again, to the left of the words.",
    "Could you share out the space evenly between the cards?",
    "Please upload a photo of bread to the top, as wide as the page.",
    "Please attach the images to the top edge of the cards.",
    "Could you send the footer down to the very bottom?",
    "I'm sorry, but I can't find the opening hours in yours.",
    "I can't say that I like the green, it should be wheat.",
    "I can't read the text, it is too light.",
    "I can't give you any code, but the header should be dark blue with white words.",
    "I can't describe every detail, but the page opens with a brown bar.",
    "I don't know anything about code, I only see that the cards are too narrow.",
    "I have no access to the menu, the bar covers it.",
    'The title should read "Ask our AI assistant" in large letters.',
    'The button should say "How can we help you?" in white on green.',
    "In the middle it says 'How may I help you' in grey.",
    "In the first picture the header is dark blue, in yours it is white.",
    "In the reference image there are four cards in one row, yours has three.",
    "Here are the differences: the header is too high; the footer is missing.",
    "The background should be #f3f4f6, a very light grey.",
    "Background: white. Text: dark grey, centred.",
    "The padding around the cards is too small, about 30 pixels would do.",
    "The cards are text-heavy; mine have one line each.",
    "There should be a top-level heading and a two-column layout.",
    "I have changed nothing in my mind: three cards, side by side.",
    "The photo should show <your name> below it.",
    "It is fine now, I'm happy with it.",
    "Yes.",
    "\U0001f44d",
    "The class list on the right needs bigger letters.",
    "The bread should be on the left (the words on the right).",
    "The designer's name should stand in the footer, in small grey letters.",
    "The page cannot be displayed, please make a simpler one.",
    "The header needs a line below it, then the pictures, then the words.",
    "A form with name, e-mail and message belongs below, with a blue button that says Send.",
    "I would like the list of services from left to right, not from top to bottom.",
    "The person in the photo should be in the middle.",
    "I want 50% of the width for the picture, and the rest for the words.",
    "Let me know if you need the words of the second paragraph.",
    "I cannot tell which button is the main one, all look alike.",
    "The menu has five entries: Home, About, Menu, Visit us & Contact.",
    "The price is $4.50 and stands below the picture, in bold.",
    "I don't see the picture that belongs next to the heading.",
    "In yours I can't see the logo at all; it should be in the top left corner in white.",
    "I cannot see the white text on that pale background.",
    "No picture was there in mine, just a plain dark band with the title.",
    "The photo on the right should be as tall as the text beside it.",
    'The link "Learn more" should be a purple button in the middle of the page.',
    "I can't see the bottom part of the page because the footer covers it.",
    "I can only see two cards in yours, I want three in one row.",
    "I don't have any picture in the footer; please take that out.",
    "Please share the row between the two columns half and half.",
    "There's no photo at all beside the form in yours.",
    "Could you provide the address in the footer as well? It is 12 Mill Lane.",
    "I see a grey area at the top where the photo belongs, that one is fine.",
    "The visual is too wide, let it end where the text ends.",
    "I'm not able to see the menu entries; they should be white, not black.",
    "I would need the header to be much lower, about half as tall.",
    "Without the photo the page looks empty; put one to the right of the title.",
    'You didn\'t provide a footer; mine is a dark grey strip with the words "All rights reserved".',
    "The page needs an image to the left and a paragraph to the right.",
    "I'm looking for something with a dark background and a big white title in the middle.",
    "My page begins with a dark blue bar; the name of the firm is on the left and four links on the right.",
    "It's nearly what I want, only the heading should be left-aligned and the button green.",
    "The designs of the three cards should be alike, with rounded corners and a soft shadow.",
    "Yours has the text in the centre, I want it on the left.",
    "Can you describe your services in the second section? I want three short paragraphs there.",
    "Please send the heading to the left side and the picture to the right side.",
    'I am happy to help with the words: the title is "Fresh bread every day".',
    "I'd like the whole thing on a light grey background, the cards white.",
    "Your page can't be displayed, could you give me a simpler one?",
    "I'm sorry, I can't tell you the exact size, but the title is about three times as tall as the text.",
    "I can't help but notice that the footer is missing.",
    "No, the images should be square, and there are three of them.",
    "The first image is a wide banner, the second one is a small round portrait.",
    "I'm not sure, but I believe the button is purple.",
    'The section heading "Our Team" has to be above the three portraits: designer: Jane, developer: Tom, agent: Ann.',
    "You added an image to the header that I don't have in mine.",
    "I don't see any picture of the team in your version.",
    "The picture at the top is not as wide as I want it, it should reach from edge to edge.",
    "I see no footer in yours, mine is dark grey.",
    "I can't see where the second column went.",
    "I do not see the three small photos below the heading.",
    "The image of the house isn't there; it belongs in the right half.",
    "You left out the photo. It should be on the left of the text, about a third of the width.",
    "I can't see the border of the cards, a thin grey line would do.",
    "It looks like no photo was put into the second card.",
    "I have no picture in the header, only the name and three links.",
    "Please show the picture on the left and describe the firm on the right in one paragraph.",
    'The form needs two fields and a button that says "Send us a message".',
    "I want the background of the entire page to be pale yellow.",
    "Could you make the text in the white box centred?",
    "I'm not able to find the phone number, it should be at the end.",
    "The cards should not be included in the header, put them below.",
    "My picture is in the middle of the page with the title above and the button below.",
    'The links "About", "Products" and "Contact" are on the right side of the bar.',
    "Make the picture smaller and share its row with the form.",
    "I need to see the title in larger letters, roughly twice the size.",
    "I would like to look at the page with the darker header again.",
    "I cannot see any shadow under the cards in yours.",
    "There does not seem to be any image beside the text in yours.",
    "The image was in the left column in what I want, yours has it on the right.",
    "The text about our AI-powered tools should be grey.",
    'The heading "Your AI assistant" is too small.',
    'The button at the bottom says "Load more images" and is blue.',
    "The page has to start with a wide picture, with the title on it in white.",
    "The table has four rows and three columns with a thin line around it.",
    "I'm the owner, so my name, Ann Miller, should be below the portrait.",
    "That's perfect, thank you!",
    "Remove the second image, I don't want one there.",
    "The upper half is a photo; the lower half is white with two columns of text.",
    "The screen in the middle should show a large photo of a house.",
    "I can't see the second button; there should be two of them, side by side.",
    "The photo isn't visible in your version.",
    "There are no images included in the cards in what I want.",
    "I'm unable to find the search field in yours.",
    "I don't see pictures in the cards, they should each have one on top.",
    "You forgot to add the image on the right.",
    "Your page looks like mine now, only the title should be bold.",
    "I could not find any text about opening hours.",
    "The page lacks the grey band with the three figures.",
    "The message field in the form should be taller, with the button below it.",
    "I don't like the blue, I want purple.",
    "Can you put the image to the left of the text?",
    "Please make the image in the header wider.",
    "The footer in the page I want has four columns.",
]


@pytest.mark.parametrize(("fault", "text"), [(fault, text) for fault, texts in FAULTY.items() for text in texts])
def test_faulty_replies_are_found(fault: str, text: str) -> None:
    assert page_fault_in(fit(clean(text), "frontend"), TASK, PROMPT) == fault


@pytest.mark.parametrize("text", HONEST)
def test_honest_replies_pass(text: str) -> None:
    assert clean(text) == text
    assert fit(text, "frontend") == text
    assert page_fault_in(text, TASK, PROMPT) is None


def test_the_lists_are_long_enough_to_mean_something() -> None:
    assert len(FAULTY["cannot see"]) >= 40
    assert len(HONEST) >= 40
    assert len(set(HONEST)) == len(HONEST)
    assert set(FAULTY) <= set(PAGE_FAULTS)


def test_several_sentences_hide_no_fault() -> None:
    for fault in ("cannot see", "role confusion", "code"):
        for text in FAULTY[fault]:
            if text.startswith("Designer:"):
                continue  # only at the beginning is it a label; "Designer: Jane Doe" may stand on a page
            assert page_fault_in(clean(f"Thank you. {text}"), TASK, PROMPT) in PAGE_FAULTS, text


def test_a_page_may_be_about_assistants() -> None:
    task = Task("t", "frontend", "A page for an AI helper.", "<html><body><h1>I'm an AI</h1></body></html>")
    assert page_fault_in("The title is I'm an AI, in bold.", task, PROMPT) is None
    assert page_fault_in("I'm a large language model.", task, PROMPT) == "role confusion"


def test_the_prompt_of_ones_own_is_no_echo_of_the_task() -> None:
    words = "a warm page for a bakery with a header and a picture"
    task = Task("t", "frontend", words, "<html></html>")
    assert page_fault_in(f"I want {words}.", task, shingles(words, ECHO_WORDS)) is None
    assert page_fault_in(f"I want {words}.", TASK, shingles(words, ECHO_WORDS)) == "prompt echo"


def test_a_long_reply_is_cut_at_a_sentence_or_a_clause() -> None:
    sentence = "The header should be dark blue with white words. "
    long = fit(clean("".join(f"{number}. {sentence}\n" for number in range(60))), "frontend")
    assert len(long) <= USER_CHARACTERS["frontend"]
    assert long.endswith("words.")
    listed = fit("Thanks! It lacks " + ", ".join(["a blue box"] * 200) + ".", "frontend")
    assert USER_CHARACTERS["frontend"] * 0.9 < len(listed) <= USER_CHARACTERS["frontend"]
    assert listed.endswith("a blue box...")
    assert fit("One. Two. Three. Four.", "frontend") == "One. Two. Three. Four."


@pytest.mark.parametrize("piece", ["{a:", "I can't see the ", "no image ", "- ", "<div ", "a-", "you ", "' "])
def test_a_hostile_reply_is_judged_at_once(piece: str) -> None:
    text = (piece * 1000)[: USER_CHARACTERS["frontend"]]
    began = time.perf_counter()
    page_fault_in(text, TASK, PROMPT)
    assert time.perf_counter() - began < 0.5
